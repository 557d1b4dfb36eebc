"""The viewer in a real browser: what a visitor sees and does; MOTIONC_SCALE=1 leaves screenshots."""

import io
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

import motionc as mc
from motionc import simulate as sim
from motionc.simulate.recording import model_of

MARKUP = "f<img src=x onerror=alert(1)>{1+1}"


def on_screen(page: Any, viewer: Any, point: Any) -> tuple[float, float]:
    """Where a point of the world is on the page, by the camera that the page tells."""
    from motionc.geometry.lie import rotation_from_quaternion

    (client,) = viewer._server.get_clients().values()
    camera = client.camera
    x, y, z = rotation_from_quaternion(camera.wxyz).T @ (np.asarray(point) - camera.position)
    box = page.locator("canvas").first.bounding_box()
    focal = box["height"] / 2 / np.tan(camera.fov / 2)
    return box["x"] + box["width"] / 2 + focal * x / z, box["y"] + box["height"] / 2 + focal * y / z


def pixels(png: bytes) -> Any:
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"), float)


def test_an_arm_is_shown_slid_dragged_and_clicked(visit: Any) -> None:
    robot = mc.load("panda")
    start = [-2.2, 0.2, 0.0, -1.8, 0.0, 2.0, 0.7]
    with mc.view.show(robot, port=0, open_browser=False, frames=["panda_hand_tcp"]) as viewer:
        viewer.q = start
        viewer.drag.choose("panda_hand_tcp")
        seen = visit(viewer.url)
        page = seen.page
        seen.until(lambda: len(viewer._server.get_clients()) == 1)
        seen.settle()

        # a slider, by its keys, which turn the camera too
        (client,) = viewer._server.get_clients().values()
        stood, looked = np.array(client.camera.position), np.array(client.camera.look_at)
        before = pixels(seen.scene())
        page.locator("[role=slider]").first.focus()
        for _ in range(8):
            page.keyboard.press("ArrowRight")
        seen.until(lambda: abs(viewer.q[0] + 2.192) < 1e-9)
        np.testing.assert_array_equal(viewer.q[1:], start[1:])
        client.camera.position, client.camera.look_at = stood, looked
        seen.settle()
        assert np.any(np.abs(pixels(seen.scene()) - before) > 50)

        # the handle, by the mouse: along one of its arrows
        kinematics = mc.forward_kinematics(robot, ["panda_hand_tcp"])
        before, pose = viewer.q, np.asarray(kinematics(viewer.q))[0]
        for reach, along in product((0.2, 0.23, 0.17), (0, 2)):  # the head of an arrow is small: aim again after a miss
            page.mouse.move(*on_screen(page, viewer, pose[:3, 3] + reach * pose[:3, along]))
            page.wait_for_timeout(600)
            page.mouse.down()
            page.mouse.move(*on_screen(page, viewer, pose[:3, 3] + (reach + 0.12) * pose[:3, along]), steps=8)
            page.mouse.up()
            page.wait_for_timeout(600)
            if viewer.drag.seconds:
                break
        moved = pose[:3, :3].T @ (np.asarray(kinematics(viewer.q))[0][:3, 3] - pose[:3, 3])
        assert moved[along] > 0.05
        assert np.abs(np.delete(moved, along)).max() < 1e-3
        assert np.abs(viewer.q - before).max() < 1.0
        assert np.median(viewer.drag.seconds) < 2e-3
        seen.picture("arm_dragged")

        # a link, by a click
        viewer.drag.choose("nothing")
        page.wait_for_timeout(300)
        middle = np.asarray(mc.forward_kinematics(robot, ["panda_link2"])(viewer.q))[0][:3, 3]
        page.mouse.click(*on_screen(page, viewer, middle))
        seen.until(lambda: viewer.card.link != "")
        page.get_by_text(f"{robot.links[viewer.card.link].mass:.4g} kg").wait_for()
        seen.picture("arm_clicked")
        assert seen.errors == []
        assert seen.strangers() == []


def test_a_recording_plays_and_scrubs_to_the_exact_state(visit: Any, fallen: Any, tmp_path: Path) -> None:
    fallen.save(tmp_path / "fall.mcap", modes=[sim.Mode((0.0, 0.1), ("FALL", "STAND"))], marks=[sim.Mark(0.1, "touch")])
    recording = sim.Recording.open(tmp_path / "fall.mcap")
    with mc.view.show(fallen.plant.robot, recording, port=0, open_browser=False) as viewer:
        seen = visit(viewer.url)
        page = seen.page
        page.get_by_role("button", name="play").dispatch_event("click")
        seen.until(lambda: viewer.time > 0.1)
        seen.until(lambda: not viewer.timeline.playing)
        assert viewer.q.tolist() == fallen.q[-1].tolist()
        page.locator("[role=slider]").first.focus()
        page.keyboard.press("Home")
        for _ in range(5):
            page.keyboard.press("ArrowRight")
        seen.until(lambda: abs(viewer.time - 0.005) < 1e-9)
        assert viewer.q.tolist() == fallen.q[viewer.timeline.track.index(0.005)].tolist()
        viewer.time = 0.25
        page.get_by_text("STAND").first.wait_for()
        seen.picture("recording")
        assert seen.errors == []
        assert seen.strangers() == []


def test_whatever_signal_is_chosen_its_curves_are_seen(visit: Any) -> None:
    times = np.linspace(0.0, 1.0, 101)
    signals = [sim.Signal(name, times, np.stack([size * times, -times], axis=1)) for name, size in (("q", 1), ("v", 9))]
    recording = sim.Recording(signals=signals, model=model_of(mc.load("planar2")))
    with mc.view.show(recording, port=0, open_browser=False) as viewer:
        seen = visit(viewer.url)
        plot = seen.page.locator(".uplot").first
        plot.wait_for()

        def curves() -> int:
            """Pixels that are neither grey nor white, where the plot is; none while the page makes it anew."""
            place = plot.bounding_box()
            shown = pixels(seen.page.screenshot(clip=place)) if place else np.zeros((1, 1, 3))
            return int(np.sum(np.ptp(shown, axis=2) > 60))

        viewer.time = 1.0
        seen.until(lambda: curves() > 50)
        for name, entry in (("v", "all"), ("q", "1"), ("v", "0")):
            viewer.timeline.plot(name, entry)
            seen.page.wait_for_timeout(500)
            seen.until(lambda: curves() > 50)
        assert seen.errors == []


def test_what_is_drawn_beside_a_robot_is_seen(visit: Any) -> None:
    robot, times, ahead = mc.load("planar2"), np.linspace(0.0, 1.0, 21), np.eye(4)
    ahead[:3, 3] = 0.4, 0.6, 0.3
    q = np.stack([times, -times], axis=1)
    pushed = {"contact_force": [[0.0, 0.0, 3.0]], "contact_point": [[0.5, 0.0, 0.0]]}
    signals = [sim.Signal(name, times, np.tile(row, (21, 1, 1))) for name, row in pushed.items()]
    signals.append(sim.Signal("q", times, q))
    model = model_of(robot)
    first = sim.Recording(signals=signals, model=model, tubes=[sim.Tube("tip", ahead, (0.1, 0.15), 0.5)])
    second = sim.Recording(signals=[sim.Signal("q", times, q + 2.0)], model=model)
    bound = [mc.Constraint("tip", "x y z")]
    with mc.view.show(robot, [first, second], port=0, open_browser=False, constraints=bound) as viewer:
        seen = visit(viewer.url)
        viewer.time = 0.8
        seen.page.get_by_label("centre of mass").check()
        seen.until(lambda: viewer._mass.value)
        seen.settle()
        seen.picture("marks")
        scene = viewer._server.scene
        named = ("/tubes/0/walls", "/ways/0", "/forces", "/constraints", "/centre_of_mass", "/ghost_0")
        nodes = [scene.get_handle_by_name(name) for name in named]
        for node in nodes:  # each is missed when it is gone
            before = pixels(seen.scene())
            node.visible = False
            seen.until(lambda before=before: np.sum(np.abs(pixels(seen.scene()) - before).max(axis=2) > 12) > 8)
        assert seen.errors == []


def test_a_replay_opens_from_a_file_and_asks_nobody(visit: Any, fallen: Any, tmp_path: Path) -> None:
    page = mc.view.replay(fallen, tmp_path / "fall.html")
    assert page.stat().st_size < 1e6
    seen = visit(page.as_uri())
    seen.page.wait_for_timeout(2500)
    seen.picture("replay")
    assert seen.errors == []
    assert seen.requests == [page.as_uri()]


def test_a_report_opens_from_a_file_and_asks_nobody(visit: Any, tmp_path: Path) -> None:
    plant = sim.Plant(mc.load("planar2"))
    run = sim.closed(plant)(plant.start([0.3, 0.1]), tau=[0.0, 0.0], seconds=0.3)
    page = mc.view.report(run, tmp_path / "swing.html")
    seen = visit(page.as_uri(), "iframe")
    seen.page.frame_locator("iframe").locator("canvas").first.wait_for()
    seen.page.wait_for_timeout(1500)
    seen.picture("report")
    assert seen.errors == []
    assert [url for url in seen.requests if not url.startswith(("blob:", "data:", "about:"))] == [page.as_uri()]


def test_names_with_markup_are_words_on_the_page(visit: Any) -> None:
    text = mc.to_urdf(mc.load("planar2").chain)
    for old in ("forearm", "elbow", "planar2"):
        text = text.replace(f'"{old}"', f'"{old}{MARKUP}"'.replace("<", "&lt;").replace(">", "&gt;"))
    with mc.view.show(mc.load(text), port=0, open_browser=False) as viewer:
        viewer.show_link(f"forearm{MARKUP}")
        viewer.show_frames(f"forearm{MARKUP}")
        viewer.drag.choose(f"forearm{MARKUP}")
        seen = visit(viewer.url)
        alerts = list[str]()
        seen.page.on("dialog", lambda dialog: (alerts.append(dialog.message), dialog.dismiss()))
        seen.page.get_by_text(f"forearm{MARKUP}").first.wait_for(state="attached")
        seen.page.wait_for_timeout(500)
        seen.picture("markup")
        assert seen.page.locator("img[src=x]").count() == 0
        assert (alerts, seen.errors, seen.strangers()) == ([], [], [])


def test_a_token_opens_the_page_to_its_holder_alone(visit: Any, chromium: Any) -> None:
    with mc.view.show(mc.load("planar2"), host="0.0.0.0", port=0, open_browser=False) as viewer:
        seen = visit(viewer.url)
        seen.until(lambda: len(viewer._server.get_clients()) == 1)
        stranger = chromium.new_context().new_page()
        assert stranger.goto(viewer.url.partition("?")[0]).status == 403
        stranger.context.close()
        assert seen.errors == []
