"""The viewer as its server sees it: no browser, a client that is a socket, or none."""

import html
import re
import socket
import urllib.error
import urllib.request
import warnings
from pathlib import Path
from time import perf_counter, sleep
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import motionc as mc

viser = pytest.importorskip("viser", reason="the viewer needs viser: pip install 'motionc[view]'")

MARKUP = "<img src=x onerror=alert(1)>{1+1}"


@pytest.fixture(scope="module")
def robot() -> Any:
    return mc.load("planar2")


@pytest.fixture(scope="module")
def run(robot: Any) -> Any:
    plant = mc.simulate.Plant(robot)
    loop = mc.simulate.closed(plant, mc.control.pd(robot, 10.0, 1.0))
    return loop(plant.start(), target=[0.3, 0.1], seconds=0.1)


def shown(*arguments: Any, **options: Any) -> Any:
    return mc.view.show(*arguments, port=0, open_browser=False, **options)


def by_user(handle: Any, value: Any) -> Any:
    """What viser tells when a user has set a value."""
    handle._impl.value = value
    event = SimpleNamespace(client=object(), target=handle)
    for told in handle._impl.update_cb:
        told(event)


def world_poses(figure: Any) -> dict[str, Any]:
    """Poses of bodies in the world, from the tree of nodes that a page gets."""
    from motionc.geometry.lie import rotation_from_quaternion

    found = list[Any]()
    for node, parent in zip(figure._nodes, figure._parents, strict=True):
        own = np.eye(4)
        own[:3, :3], own[:3, 3] = rotation_from_quaternion(node.wxyz), node.position
        found.append(own if parent < 0 else found[parent] @ own)
    return dict(zip(figure._carriers, found, strict=True))


def answered(url: str, **headers: str) -> int:
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=10) as reply:
            return reply.status
    except urllib.error.HTTPError as error:
        return error.code


def test_a_slider_moves_its_link_and_no_other_coordinate(robot: Any) -> None:
    with shown(robot) as viewer:
        viewer.q = [0.123456789, 0.2]
        by_user(viewer.sliders._of[1][0], 0.5)
        assert viewer.q.tolist() == [0.123456789, 0.5]
        pinocchio = pytest.importorskip("pinocchio")
        model = pinocchio.buildModelFromXML(mc.to_urdf(robot.chain))
        data = model.createData()
        pinocchio.framesForwardKinematics(model, data, pinocchio.integrate(model, pinocchio.neutral(model), viewer.q))
        for link, pose in world_poses(viewer.figure).items():
            np.testing.assert_allclose(pose, data.oMf[model.getFrameId(link)].homogeneous, atol=1e-9)


def test_a_dragged_frame_is_followed_without_jumps(robot: Any) -> None:
    with shown(robot) as viewer:
        viewer.q = [0.4, 0.6]
        viewer.drag.choose("tip")
        handle = viewer.drag._handle
        start = np.array(handle.position)
        for out in np.linspace(0.0, 3.0, 30):  # far out of reach
            before = viewer.q
            handle._impl.position[:] = start * (1 + out)
            viewer.drag._dragged(SimpleNamespace(client=object(), target=handle, phase="update"))
            assert np.abs(viewer.q - before).max() < 0.5
        assert len(viewer.drag.seconds) == 30
        viewer.drag.choose("nothing")
        assert viewer.drag._handle is None


def test_a_run_scrubs_to_the_exact_state_and_plays(robot: Any, run: Any) -> None:
    with shown(robot, [run, run]) as viewer:
        viewer.time = float(run.times["q"][7] - run.times["q"][0])
        assert viewer.q.tolist() == run.q[7].tolist()
        by_user(viewer.timeline._slider, viewer.timeline._slider.max)
        assert viewer.q.tolist() == run.q[-1].tolist()
        viewer.timeline.play()
        assert viewer.timeline.playing
        viewer.timeline.pause()
        viewer.timeline._plot.choose("v")
        assert len(viewer.timeline._plot._chart.data) >= 3


def test_it_plays_as_fast_as_is_said_and_from_the_start_where_it_has_ended(robot: Any) -> None:
    times = np.linspace(0.0, 60.0, 6001)
    recording = mc.simulate.Recording(signals=[mc.simulate.Signal("q", times, np.zeros((6001, 2)))])
    with shown(robot, recording) as viewer:
        timeline = viewer.timeline
        timeline._speed.value = "4 ×"
        viewer.time = 10.0
        begin = perf_counter()
        timeline.play()
        while viewer.time < 14.0:
            sleep(0.01)
        passed = perf_counter() - begin
        assert 1.5 * passed < viewer.time - 10.0
        assert viewer.time - 10.0 < 4 * (perf_counter() - begin) + 0.05
        timeline._speed.value = "¼ ×"  # while it plays
        sleep(0.2)
        begin, start = perf_counter(), viewer.time
        while viewer.time < start + 0.2:
            sleep(0.01)
        assert viewer.time - start < 0.5 * (perf_counter() - begin) + 0.1
        viewer.time = 60.0
        timeline.play()
        assert timeline.playing
        sleep(0.1)
        assert viewer.time < 5.0


def test_a_recording_shows_what_its_run_does(run: Any, tmp_path: Path) -> None:
    recording = mc.simulate.Recording.of(run, marks=[mc.simulate.Mark(0.05, MARKUP)])
    recording.save(tmp_path / "run.mcap")
    with shown(mc.simulate.Recording.open(tmp_path / "run.mcap")) as viewer:
        viewer.time = 0.05
        assert viewer.q.tolist() == run.q[viewer.timeline.track.index(0.05)].tolist()
        assert viewer.timeline.track.marks == ((0.05, MARKUP),)


def test_a_link_says_mass_and_frames_and_shows_its_ellipsoid(robot: Any) -> None:
    with shown(robot, frames=["tip"], constraints=[mc.Constraint("tip", "x y")]) as viewer:
        viewer.show_link("forearm")
        assert f"{robot.links['forearm'].mass:.4g} kg" in viewer.card.words
        assert viewer.card._node is not None
        with pytest.raises(mc.Error, match="did you mean forearm"):
            viewer.show_link("forarm")


def test_names_with_markup_stay_words(robot: Any) -> None:
    text = mc.to_urdf(robot.chain).replace("forearm", "f&lt;img src=x onerror=alert(1)&gt;{1+1}")
    with shown(mc.load(text)) as viewer:
        link = f"f{MARKUP}"
        viewer.show_link(link)
        assert "<img" not in viewer.card.words
        assert all("<" not in path and "{" not in path for path in viewer.figure._paths.values())


def test_only_this_machine_and_its_own_pages_are_answered(robot: Any) -> None:
    with shown(robot) as viewer:
        assert viewer._server.get_host() == "127.0.0.1"
        assert answered(viewer.url) == 200
        assert answered(viewer.url, Origin="http://elsewhere.example") == 403
        assert answered(viewer.url, Host="elsewhere.example") == 403


def test_others_need_the_token(robot: Any) -> None:
    with shown(robot, host="0.0.0.0") as viewer:
        bare = viewer.url.partition("?")[0]
        assert bare == f"http://127.0.0.1:{viewer.port}/"
        assert answered(bare) == 403
        assert answered(f"{bare}?token=wrong") == 403
        assert answered(bare, Cookie=f"motionc={viewer.token}") == 200
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        assert opener.open(viewer.url, timeout=10).status == 200


def test_the_token_is_kept_where_no_script_and_no_other_page_gets_it(robot: Any) -> None:
    import http.client

    with shown(robot, host="0.0.0.0") as viewer:
        asked = http.client.HTTPConnection("127.0.0.1", viewer.port, timeout=10)
        asked.request("GET", f"/?token={viewer.token}")
        reply = asked.getresponse()
        cookie = reply.getheader("Set-Cookie") or ""
        assert (reply.status, reply.getheader("Location")) == (303, "/")
        assert f"motionc={viewer.token}" in cookie
        assert {"HttpOnly", "SameSite=Strict"} <= {part.strip() for part in cookie.split(";")}
        asked.close()


def test_nobody_opens_a_tunnel_to_the_rest_of_the_world(robot: Any) -> None:
    with shown(robot) as viewer:
        known = viewer._server._connection._incoming_handlers
        assert known
        for request in (viser._messages.ShareUrlRequest, viser._messages.ShareUrlDisconnect):
            assert not known.get(request)


def test_a_port_in_use_and_an_address_of_nobody(robot: Any) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen(1)
        port = taken.getsockname()[1]
        with mc.view.show(robot, port=port, open_browser=False) as viewer:
            assert viewer.port > port
            assert answered(viewer.url) == 200
    with pytest.raises(mc.Error, match="nobody knows that address"):
        mc.view.show(robot, host="no such host", open_browser=False)
    with pytest.raises(mc.Error, match="nothing can listen"):
        mc.view.show(robot, host="192.0.2.1", open_browser=False)


def test_a_client_that_vanishes_harms_nobody(robot: Any) -> None:
    import websockets.sync.client as client

    with shown(robot) as viewer:
        address = viewer.url.replace("http", "ws")
        version = f"viser-v{viser.__version__}"
        for _ in range(3):
            page = client.connect(address, subprotocols=[version], proxy=None)  # pyright: ignore[reportArgumentType]
            page.socket.shutdown(socket.SHUT_RDWR)
        viewer.q = [0.3, 0.3]
        assert answered(viewer.url) == 200


def test_a_replay_is_one_page_of_less_than_a_megabyte(run: Any, tmp_path: Path) -> None:
    page = mc.view.replay(run, tmp_path / "run.html").read_text()
    assert len(page) < 1e6
    assert "__VISER_EMBED_DATA__" in page


def test_what_makes_no_sense_gets_one_sentence(robot: Any, run: Any) -> None:
    for wrong in (
        {"port": -1},
        {"port": 70_000},
        {"host": ""},
        {"frames": ["nowhere"]},
        {"run": 3},
        {"constraints": [1]},
    ):
        with pytest.raises(mc.Error):
            mc.view.show(robot, **{"open_browser": False, **wrong})
    with shown(robot) as viewer, pytest.raises(mc.Error):
        viewer.q = [1.0]
    with pytest.raises(mc.Error):
        mc.view.replay(run, "")
    with pytest.raises(mc.Error):
        mc.view.replay(run, "x.html", rate=0)


def test_a_notebook_shows_the_page_as_long_as_it_is_there(robot: Any) -> None:
    with shown(robot) as viewer:
        embedded = viewer._repr_html_()
        (address,) = re.findall(r'<iframe src="([^"]+)"', embedded)
        assert address == viewer.url
        # what a browser sends from within a page of a notebook
        assert answered(address, Referer="http://127.0.0.1:8888/") == 200
    assert "iframe" not in viewer._repr_html_()


def test_a_link_that_has_findings_tells_them_and_others_do_not() -> None:
    text = mc.to_urdf(mc.load("planar2").chain)
    wrong = text.replace('<link name="forearm">', '<link name="forearm" colour="&lt;b&gt;">')
    wrong = wrong.replace('<joint name="elbow"', '<joint stiff="yes" name="elbow"')
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        robot = mc.load(wrong)
    about = [each for each in robot.findings if {"robot/link[forearm]", "robot/joint[elbow]"} & {each.place.element}]
    assert len(about) == 2
    with shown(robot) as viewer:
        viewer.show_link("forearm")
        for each in about:
            assert each.rule in viewer.card.words
            assert html.escape(each.message) in viewer.card.words
        viewer.show_link("upper_arm")
        assert "no findings" in viewer.card.words


def test_forces_that_act_nobody_knows_where_are_left_out_in_a_sentence(robot: Any) -> None:
    times = [0.0, 0.1]
    forces = mc.simulate.Signal("contact_force", times, [[[0.0, 0.0, 1.0]]] * 2)
    recording = mc.simulate.Recording(signals=[mc.simulate.Signal("q", times, [[0.0, 0.1]] * 2), forces])
    with shown(robot, recording) as viewer:
        assert viewer._forces is None
        assert "log contact_point beside contact_force" in viewer.left_out[0]


def test_without_viser_its_pip_line_is_said(robot: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "viser", None)
    with pytest.raises(mc.Error, match=r"pip install 'motionc\[view\]'"):
        mc.view.show(robot)
