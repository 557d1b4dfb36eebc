"""The viewer: a robot in a browser, to look at and to touch; a run or a recording to play.

`show` opens a page on this machine alone unless told otherwise, and comes back at once; the page lives as long as the
viewer that is handed out, or the process.
"""

import atexit
import webbrowser
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from threading import Event, RLock, Thread
from typing import Any, Literal

import numpy as np

from motionc import checked
from motionc.errors import Error, suggestion
from motionc.model.robot import Robot
from motionc.simulate.recording import Recording
from motionc.simulate.runs import Run
from motionc.solvers.constraint import Constraint
from motionc.tables import short
from motionc.view.drawings import drawing
from motionc.view.figure import Figure, Tint
from motionc.view.guard import close, opened
from motionc.view.joints_panel import Drag, Sliders
from motionc.view.looks import CARD, DirectionMarks, FrameMarks, LinkCard, wanted_centre
from motionc.view.scene import Forces, extent, set_scene
from motionc.view.timeline import Timeline
from motionc.view.track import Track, track
from motionc.view.tube_marks import TubeMarks

Array = np.ndarray[Any, np.dtype[np.float64]]
GHOST: Tint = (0.35, 0.55, 0.95, 0.35)


class Viewer:
    """A page that shows a robot: `url`, where it stands (`q`), the time it shows; `close` ends it.

    A context manager; in a notebook it shows itself.
    """

    def __init__(
        self,
        robot: Robot,
        tracks: Sequence[Track],
        server: Any,
        token: str,
        *,
        host: str,
        purpose: Literal["visual", "collision"],
        roots: Iterable[str | Path],
        frames: Sequence[str],
        constraints: Sequence[Constraint],
    ) -> None:
        self.robot, self.token, self._server = robot, token, server
        self.host, self.port = host, int(server.get_port())
        self._lock, self._closed = RLock(), Event()
        looks = drawing(robot, purpose, roots)
        self.left_out = (*looks.left_out, *(each for one in tracks for each in one.left_out))
        self._q = np.array(tracks[0].q[0] if tracks else _standing(robot), float)
        self._tracks = tracks

        # the scene
        scene, gui = server.scene, server.gui
        self.figure = Figure(scene, looks)
        self._ghosts = [
            Figure(scene, drawing(each.robot, purpose, roots), f"/ghost_{k}", tint=GHOST)
            for k, each in enumerate(tracks[1:])
        ]
        size = set_scene(server, *extent(self.figure, self._q))
        self._frames = FrameMarks(self.figure, 0.12 * size)
        self._centre = wanted_centre(scene, robot, 0.12 * size)
        self._directions = DirectionMarks(scene, robot, constraints, 0.2 * size) if constraints else None
        self._forces = Forces(scene, tracks[0], size) if tracks and tracks[0].forces is not None else None
        self._tubes = TubeMarks(scene, tracks[0].courses) if tracks else None

        # the panel
        gui.configure_theme(control_width="large", show_logo=False, show_share_button=False)
        gui.main_panel.dock_right()
        gui.set_panel_label(short(robot.name, 30))
        self.timeline = None
        if tracks:
            with gui.add_folder("run"):
                self.timeline = Timeline(gui, tracks[0], self._at)
        with gui.add_folder("look"):
            self._all_frames = gui.add_checkbox("all frames", False)
            self._frame_choice = gui.add_dropdown("frame", ("none", *robot.frame_names))
            self._mass = gui.add_checkbox("centre of mass", False, disabled=self._centre is None)
        with gui.add_folder("joints", expand_by_default=not tracks):
            self.drag = Drag(server, robot, lambda: self._q, self._follow)
            self.sliders = Sliders(gui, robot, self._q, self._slide)
        with gui.add_folder("link"):
            self.card = LinkCard(gui, self.figure)
        if self.left_out:
            with gui.add_folder("left out"):
                gui.add_html("".join(f"<div style='{CARD}'>{escape(each)}</div>" for each in self.left_out[:50]))
        self._shown_frames = tuple(frames)
        self._all_frames.on_update(self._choose_frames)
        self._frame_choice.on_update(self._choose_frames)
        self._mass.on_update(self._weigh)
        self.figure.on_click(self._click)
        self._choose_frames()
        if self.timeline:
            self._at(0)
        else:
            self._draw()
        atexit.register(self.close)

    # ---------------------------------------------------------------- what it shows

    @property
    def url(self) -> str:
        """Where the page is, with its token where one is asked for."""
        host = "127.0.0.1" if self.host == "0.0.0.0" else self.host
        host = f"[{host}]" if ":" in host else host
        return f"http://{host}:{self.port}/" + (f"?token={self.token}" if self.token else "")

    @property
    def q(self) -> Array:
        """Where the robot stands."""
        return self._q.copy()

    @q.setter
    def q(self, q: Any) -> None:
        wanted = f"give {self.robot.nq} finite numbers, in the order of q"
        self._stand(checked.numbers("Viewer: q", q, wanted, (self.robot.nq,)))

    @property
    def time(self) -> float:
        """Seconds since the start of what is played; 0 where nothing is."""
        return self.timeline.time if self.timeline else 0.0

    @time.setter
    def time(self, time: float) -> None:
        seconds = checked.number("Viewer: time", time, "give seconds since the start")
        if self.timeline is None:
            raise Error("Viewer: there is no run whose time could be shown; show(robot, run) has one")
        self.timeline.scrub(seconds)

    def show_frames(self, *names: str) -> None:
        """Show these frames by name."""
        self._shown_frames = _known_frames(self.robot, names)
        self._choose_frames()

    def show_link(self, link: str) -> None:
        """Show what is known of a link, as a click on it does."""
        if checked.name("Viewer: link", link) not in self.robot.link_names:
            raise Error(f"{self.robot.name} has no link {link!r}{suggestion(link, self.robot.link_names)}")
        self._click(link)

    def wait(self) -> None:
        """Until it is closed; Ctrl-C closes it."""
        try:
            while not self._closed.wait(3600):
                pass
        except KeyboardInterrupt:
            self.close()

    def close(self) -> None:
        """Close the page."""
        if not self._closed.is_set():
            self._closed.set()
            if self.timeline:
                self.timeline.close()
            close(self._server)
            atexit.unregister(self.close)

    def __enter__(self) -> "Viewer":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Viewer({self.robot.name!r}, {'closed' if self._closed.is_set() else self.url})"

    def _repr_html_(self) -> str:
        if self._closed.is_set():
            return f"<p>{escape(repr(self))}</p>"
        return f'<iframe src="{escape(self.url)}" width="100%" height="560" style="border:0"></iframe>'

    # ---------------------------------------------------------------- what moves it

    def _stand(self, q: Array) -> None:
        with self._lock:
            self._q = np.array(q, float)
            self._draw()
            self.sliders.show(self._q)
            self.drag.show()

    def _slide(self, place: int, value: float) -> None:
        with self._lock:
            self._q[place] = value
            self._draw()
            self.drag.show()

    def _follow(self, q: Array) -> None:
        with self._lock:
            self._q = q
            self._draw()
            self.sliders.show(q)

    def _at(self, k: int) -> None:
        with self._lock, self._server.atomic():
            first, *others = self._tracks
            time = float(first.times[k] - first.times[0])
            for ghost, other in zip(self._ghosts, others, strict=True):
                ghost.place(other.q[other.index(time)])
            for marks in (self._forces, self._tubes):
                if marks:
                    marks.show(k)
            self._stand(first.q[k])

    def _draw(self, _: Any = None) -> None:
        with self._lock:
            self.figure.place(self._q)
            if self._centre:
                self._centre.show(self._mass.value, self._q)
            if self._directions:
                self._directions.show(self._q)

    def _weigh(self, _: Any) -> None:
        self._see_through()
        self._draw()

    def _click(self, link: str) -> None:
        self.card.show(link)
        self._see_through()

    def _see_through(self) -> None:
        """What is inside links is seen: the centre of mass, and the ellipsoid of the link that was clicked."""
        links = self.robot.link_names if self._mass.value else (self.card.link,) if self.card.link else ()
        with self._lock:
            self.figure.see_through(links)

    def _choose_frames(self, _: Any = None) -> None:
        chosen = self._frame_choice.value
        one = () if chosen == "none" else (chosen,)
        names = tuple(self.robot.frame_names) if self._all_frames.value else (*self._shown_frames, *one)
        with self._lock:
            self._frames.show(tuple(name for name in dict.fromkeys(names) if name != "world"))


# ---------------------------------------------------------------- opening


def show(
    robot: Robot | Any,
    run: Any = None,
    *,
    host: str = "127.0.0.1",
    port: int = 8080,
    open_browser: bool = True,
    purpose: Literal["visual", "collision"] = "visual",
    roots: Iterable[str | Path] = (),
    frames: Sequence[str] = (),
    constraints: Sequence[Constraint] = (),
) -> Viewer:
    """Show a robot in a browser: sliders, a frame to drag, links to click; a run or recording with its time.

    Args:
        robot: the robot; or a Run or a Recording, which says which robot.
        run: a Run or a Recording to play; of several, all but the first are ghosts.
        host: the address to listen on. Others than this machine's own get a token, which is part of `url`.
        port: the first port to try; the next that is free where it is in use.
        open_browser: whether to open the page here.
        purpose: shapes to look at, or those to collide with.
        roots: folders that are packages of meshes, or hold some.
        frames: names of frames to show.
        constraints: Constraints whose directions to show.
    """
    wanted = "give a Robot, or a Run or a Recording of one"
    checked.instance("show: robot", robot, (Robot, Run, Recording), wanted)
    sources = list(run) if isinstance(run, list | tuple) else [] if run is None else [run]
    if not isinstance(robot, Robot):
        sources.insert(0, robot)
    whose = robot if isinstance(robot, Robot) else None
    tracks = [track(each, robot=whose) for each in sources]
    robot = whose or tracks[0].robot
    checked.flag("show: open_browser", open_browser)
    frames = _known_frames(robot, checked.names("show: frames", frames))
    bound = checked.several("show: constraints", constraints, "give Constraints", Constraint)
    for each in bound:
        checked.instance("show: constraints", each, Constraint, "give Constraints")
        _known_frames(robot, (each.frame, each.as_seen_by))
    server, token = opened(host, port)
    try:
        viewer = Viewer(
            robot,
            tracks,
            server,
            token,
            host=host,
            purpose=purpose,
            roots=roots,
            frames=frames,
            constraints=bound,
        )
    except BaseException:
        close(server)
        raise
    if open_browser:
        Thread(target=webbrowser.open, args=(viewer.url,), daemon=True).start()
    return viewer


def _known_frames(robot: Robot, names: Sequence[str]) -> tuple[str, ...]:
    for name in names:
        if name not in robot.frame_names:
            raise Error(f"show: {robot.name} has no frame {name!r}{suggestion(name, robot.frame_names)}")
    return tuple(names)


def _standing(robot: Robot) -> Array:
    """Joints at 0, or inside limits that leave 0 out."""
    from motionc.simulate.chosen import posture

    return np.asarray(posture(robot), float)
