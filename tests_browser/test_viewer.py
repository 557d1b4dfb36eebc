"""The viewer in a real browser: what a visitor sees and does; screenshots are left in build/browser."""

from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import motionc as mc

MARKUP = "f<img src=x onerror=alert(1)>{1+1}"


def until(page: Any, holds: Callable[[], bool], seconds: float = 60.0) -> None:
    """Wait while the page goes on."""
    for _ in range(int(seconds * 10)):
        if holds():
            return
        page.wait_for_timeout(100)
    raise AssertionError("it did not come to pass")


def on_screen(page: Any, viewer: Any, point: Any) -> tuple[float, float]:
    """Where a point of the world is on the page, by the camera that the page tells."""
    (client,) = viewer._server.get_clients().values()
    camera, rotation = client.camera, client.camera.wxyz
    from motionc.geometry.lie import rotation_from_quaternion

    x, y, z = rotation_from_quaternion(rotation).T @ (np.asarray(point) - camera.position)
    size = page.viewport_size
    focal = size["height"] / 2 / np.tan(camera.fov / 2)
    return size["width"] / 2 + focal * x / z, size["height"] / 2 + focal * y / z


def test_an_arm_is_shown_slid_dragged_and_clicked(visit: Any) -> None:
    robot = mc.load("panda")
    start = [-2.2, 0.2, 0.0, -1.8, 0.0, 2.0, 0.7]
    with mc.view.show(robot, port=0, open_browser=False, frames=["panda_hand_tcp"]) as viewer:
        viewer.q = start
        viewer.drag.choose("panda_hand_tcp")
        seen = visit(viewer.url)
        page = seen.page
        until(page, lambda: len(viewer._server.get_clients()) == 1)
        seen.settle()
        seen.picture("arm")

        # a slider, by its keys, which turn the camera too
        (client,) = viewer._server.get_clients().values()
        stood, looked = np.array(client.camera.position), np.array(client.camera.look_at)
        thumb = page.locator("[role=slider]").first
        thumb.focus()
        for _ in range(20):
            page.keyboard.press("ArrowRight")
        until(page, lambda: abs(viewer.q[0] + 2.18) < 1e-9)
        np.testing.assert_array_equal(viewer.q[1:], start[1:])

        client.camera.position = stood
        client.camera.look_at = looked

        # the handle, by the mouse: along one of its arrows
        seen.settle(4)
        before, pose = viewer.q, np.asarray(mc.forward_kinematics(robot, ["panda_hand_tcp"])(viewer.q))[0]
        for reach, along in product((0.2, 0.23, 0.17), (0, 2)):  # the head of an arrow is small: aim again after a miss
            page.mouse.move(*on_screen(page, viewer, pose[:3, 3] + reach * pose[:3, along]))
            page.wait_for_timeout(1500)
            page.mouse.down()
            page.mouse.move(*on_screen(page, viewer, pose[:3, 3] + (reach + 0.12) * pose[:3, along]), steps=10)
            page.mouse.up()
            page.wait_for_timeout(1500)
            if viewer.drag.seconds:
                break
        after = np.asarray(mc.forward_kinematics(robot, ["panda_hand_tcp"])(viewer.q))[0]
        moved = pose[:3, :3].T @ (after[:3, 3] - pose[:3, 3])
        assert moved[along] > 0.05
        assert np.abs(np.delete(moved, along)).max() < 1e-3
        assert np.abs(viewer.q - before).max() < 1.0
        assert np.median(viewer.drag.seconds) < 2e-3
        seen.picture("arm_dragged")

        # a link, by a click
        viewer.drag.choose("nothing")
        page.wait_for_timeout(500)
        middle = np.asarray(mc.forward_kinematics(robot, ["panda_link2"])(viewer.q))[0][:3, 3]
        page.mouse.click(*on_screen(page, viewer, middle))
        until(page, lambda: viewer.card.link != "")
        page.get_by_text(f"{robot.links[viewer.card.link].mass:.4g} kg").wait_for()
        seen.settle(1)
        seen.picture("arm_clicked")
        assert seen.errors == []
        assert seen.strangers() == []


def test_a_recording_plays_and_scrubs_to_the_exact_state(visit: Any, fallen: Any, tmp_path: Path) -> None:
    fallen.save(tmp_path / "fall.mcap")
    recording = mc.simulate.Recording.open(tmp_path / "fall.mcap")
    with mc.view.show(fallen.plant.robot, [recording, fallen], port=0, open_browser=False) as viewer:
        seen = visit(viewer.url)
        page = seen.page
        seen.settle()
        page.get_by_role("button", name="play").dispatch_event("click")
        until(page, lambda: viewer.time > 0.2)
        until(page, lambda: not viewer.timeline.playing)
        assert viewer.q.tolist() == fallen.q[-1].tolist()
        thumb = page.locator("[role=slider]").first
        thumb.focus()
        page.keyboard.press("Home")
        for _ in range(5):
            page.keyboard.press("ArrowRight")
        until(page, lambda: abs(viewer.time - 0.005) < 1e-9)
        assert viewer.q.tolist() == fallen.q[viewer.timeline.track.index(0.005)].tolist()
        viewer.time = 0.5
        seen.settle(2)
        seen.picture("recording")
        assert seen.errors == []
        assert seen.strangers() == []


def test_a_replay_opens_from_a_file_and_asks_nobody(visit: Any, fallen: Any, tmp_path: Path) -> None:
    page = mc.view.replay(fallen, tmp_path / "fall.html")
    assert page.stat().st_size < 1e6
    seen = visit(page.as_uri())
    seen.settle()
    seen.picture("replay")
    assert seen.errors == []
    assert seen.requests == [page.as_uri()]


@pytest.mark.parametrize("name", [MARKUP])
def test_names_with_markup_are_words_on_the_page(visit: Any, name: str) -> None:
    text = mc.to_urdf(mc.load("planar2").chain)
    for old in ("forearm", "elbow", "planar2"):
        text = text.replace(f'"{old}"', f'"{old}{name}"'.replace("<", "&lt;").replace(">", "&gt;"))
    with mc.view.show(mc.load(text), port=0, open_browser=False) as viewer:
        viewer.show_link(f"forearm{name}")
        viewer.show_frames(f"forearm{name}")
        viewer.drag.choose(f"forearm{name}")
        seen = visit(viewer.url)
        alerts = list[str]()
        seen.page.on("dialog", lambda dialog: (alerts.append(dialog.message), dialog.dismiss()))
        seen.settle()
        seen.picture("markup")
        assert seen.page.locator("img[src=x]").count() == 0
        assert (alerts, seen.errors, seen.strangers()) == ([], [], [])


def test_a_token_opens_the_page_to_its_holder_alone(visit: Any, chromium: Any) -> None:
    with mc.view.show(mc.load("planar2"), host="0.0.0.0", port=0, open_browser=False) as viewer:
        seen = visit(viewer.url)
        until(seen.page, lambda: len(viewer._server.get_clients()) == 1)
        stranger = chromium.new_context().new_page()
        assert stranger.goto(viewer.url.partition("?")[0]).status == 403
        stranger.context.close()
        assert seen.errors == []
