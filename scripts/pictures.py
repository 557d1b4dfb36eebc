"""Draw the pictures of the documentation: every robot that comes along, HyQ as it is dropped, and the viewer.

    PYTHONPATH=src python scripts/pictures.py [NAME …]

writes docs/pictures/NAME.png, those of robots of at most 25 kB; `dropped` is a strip of examples/32_ground.py, but from
0.4 m; `viewer` is a screenshot, which needs Chromium, playwright and viser.
"""

import sys
from pathlib import Path

import numpy as np

import motionc as mc
from motionc import simulate as sim

FOLDER = Path(__file__).parent.parent / "docs" / "pictures"
LARGEST = 25_000
LEGS = ("LF", "RF", "LH", "RH")
BENT = {"HFE": 0.7, "KFE": -1.4}
STRIDE = {
    "left_hip_pitch": -0.55, "left_knee": 0.5, "left_ankle_pitch": 0.05,
    "right_hip_pitch": 0.25, "right_knee": 0.35, "right_ankle_pitch": -0.25,
}  # fmt: skip
POSTURES: dict[str, dict[str, float]] = {
    "planar2": {"shoulder": 0.5, "elbow": 0.9},
    "planar3": {"joint_1": 0.4, "joint_2": 0.7, "joint_3": 0.6},
    "planar4": {"joint_1": 0.3, "joint_2": 0.6, "joint_3": 0.6, "joint_4": 0.5},
    "fancy": {"jA": 0.5, "jB": 0.1, "jC": 0.6, "jD": 0.1, "jE": 0.5},
    "fancy_branch": {"jA": 0.5, "jB": 0.1, "jC": 0.6, "jD": 0.1, "jE": 0.5, "jF": 0.4},
    "lwr4": {"joint_0": 0.4, "joint_1": 0.6, "joint_3": -1.2, "joint_5": 0.9},
    "iiwa": {"joint_1": 0.4, "joint_2": 0.6, "joint_4": -1.2, "joint_6": 0.9},
    "panda": {
        "panda_joint1": 0.3,
        "panda_joint2": -0.4,
        "panda_joint4": -2.0,
        "panda_joint6": 1.7,
        "panda_joint7": 0.8,
    },
    "ur5": {"shoulder_pan_joint": 0.3, "shoulder_lift_joint": -1.1, "elbow_joint": 1.6, "wrist_1_joint": -0.5},
    "ur10": {"shoulder_pan_joint": 0.3, "shoulder_lift_joint": -1.1, "elbow_joint": 1.6, "wrist_1_joint": -0.5},
    "baxter_arm": {"s0": 0.4, "s1": -0.7, "e1": 1.3, "w1": 0.6},
    "youbot_arm": {"arm_joint_1": 3.3, "arm_joint_2": 1.9, "arm_joint_3": -1.2, "arm_joint_4": 2.6},
    "youbot": {"arm_joint_1": 3.3, "arm_joint_2": 1.9, "arm_joint_3": -1.2, "arm_joint_4": 2.6},
    "palletiser": {"R1": 0.3, "R2": 0.2, "R3": 0.2, "R6": -0.2, "R4": -0.4},
    "hyl": dict(BENT),
    "hyq_leg": {f"LF_{joint}": value for joint, value in BENT.items()},
    "hyq": {f"{leg}_{joint}": value * (1 if leg[1] == "F" else -1) for leg in LEGS for joint, value in BENT.items()},
    "quadruped": {f"{leg}_joint_{k}": value for leg in LEGS for k, value in ((1, -0.5), (3, 0.9))},
    "biped": STRIDE,
    "humanoid": STRIDE
    | {"left_shoulder_pitch": 0.35, "left_shoulder_roll": 0.25, "left_elbow": -0.5}
    | {"right_shoulder_pitch": -0.5, "right_shoulder_roll": -0.25, "right_elbow": -0.9, "waist_yaw": 0.15},
}
"""By robot the joints that are not at 0."""


def posture(robot: mc.Robot) -> np.ndarray:
    """The configuration a robot is drawn in."""
    q = robot.neutral()
    for joint, value in POSTURES[robot.name].items():
        q[robot.q_index[joint]] = value
    return q


def of_robot(name: str, file: Path) -> None:
    """A robot, in as many colours as fit into a small file."""
    robot = mc.load(name)
    for colours in (96, 80, 64, 48):
        mc.view.picture(robot, posture(robot), file, size=(480, 360), colours=colours)
        if file.stat().st_size <= LARGEST:
            return


def of_drop(file: Path) -> None:
    """HyQ, dropped and thrown sideways, at four instants."""
    robot = mc.load("hyq")
    feet = [sim.Contact(f"{leg}_foot", friction=0.7) for leg in LEGS]
    home = posture(robot)
    home[2] -= min(pose[2, 3] for pose in mc.forward_kinematics(robot, [foot.frame for foot in feet])(home))
    step = mc.step(robot, 1e-3, contacts=feet, stiffness=400.0, damping=10.0)
    loop = mc.loop(step, feedback={"q": "q_next", "v": "v_next"}, held=["tau", "target"], log=["q"], name="dropped")
    start, v = home.copy(), np.zeros(robot.nv)
    start[2] += 0.4
    v[4] = 0.5
    run = loop(q=start, v=v, tau=np.zeros(robot.nv), target=home, seconds=1.0)
    instants = (0, 200, 370, 900)
    captions = [f"{run.time[k]:.2f} s" for k in instants]
    q = run.q[list(instants)]
    mc.view.picture(
        robot, q, file, size=(1000, 340), captions=captions, camera=(0.9, -1.4, 0.5), ground=0.0, colours=96
    )


def reaching() -> sim.Run:
    """A Panda that goes along a line within a tube, and waits at its end."""
    robot, tool = mc.load("panda"), "panda_hand_tcp"
    kinematics, search = mc.forward_kinematics(robot, [tool]), mc.inverse_kinematics(robot, [tool], restarts=0)
    q = np.array([-0.75, 0.25, 0.0, -2.0, 0.0, 2.2, 0.7])
    pose, way = np.asarray(kinematics(q))[0], np.array([0.12, 0.46, 0.1])
    along, steps, dt = np.linspace(0.0, 1.0, 41), 2000, 1e-3
    path = list[np.ndarray]()
    for part in along:
        goal = pose.copy()
        goal[:3, 3] += part * way
        q = search(q, goal[np.newaxis]).q
        path.append(q)
    time = np.minimum(np.arange(steps) * dt / 1.5, 1.0)
    share = time**3 * (10 - 15 * time + 6 * time**2)  # no jerk at either end
    target = np.stack([np.interp(share, along, joint) for joint in np.array(path).T], axis=1)
    speed = np.gradient(target, dt, axis=0)
    x = way / np.linalg.norm(way)
    y = np.cross([0.0, 0.0, 1.0], x) / np.linalg.norm(x[:2])
    frame = np.eye(4)
    frame[:3, :3], frame[:3, 3] = np.stack([x, y, np.cross(x, y)], axis=1), pose[:3, 3] + way
    plant = sim.Plant(robot, dt, pushes=[sim.Push(tool, (0.0, 0.0, 30.0), start=0.7, seconds=0.1)])
    names = ("target", "target_v", "target_a")
    declared = sim.Declared(
        tubes=[sim.Tube(tool, frame, (0.02, 0.03), float(np.linalg.norm(way)), ahead=0.03, name="way")],
        bands=[sim.Band("v", -0.9, 0.9, "slow")],
    )
    law = mc.control.computed_torque(robot, 100.0, 20.0)
    loop = sim.closed(plant, law, log={"q": 5, "v": 5}, streamed=names, declared=declared)
    given = dict(zip(names, (target, speed, np.gradient(speed, dt, axis=0)), strict=True))
    return loop(plant.start(target[0]), steps=steps, **given)


def of_viewer(file: Path) -> None:
    """What a visitor of the viewer sees."""
    from PIL import Image
    from playwright.sync_api import sync_playwright

    kept = sim.Recording.of(reaching(), modes=[sim.Mode((0.0, 1.5), ("MOVE", "HOLD"), "task")])
    shown = mc.view.show(kept, port=0, open_browser=False, frames=["panda_hand_tcp"])
    with shown as viewer, sync_playwright() as playwright:
        viewer.time = 0.9
        viewer.timeline.plot("v", "panda_joint1")
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1200, "height": 720})
        page.goto(viewer.url)
        page.wait_for_selector("canvas")
        page.wait_for_timeout(15_000)  # pages are drawn in software, and fade in
        page.evaluate("document.querySelectorAll('.mantine-Notification-closeButton').forEach(each => each.click())")
        page.wait_for_timeout(2_000)
        page.screenshot(path=file, timeout=90_000)
        browser.close()
    with Image.open(file) as whole:
        whole.convert("RGB").quantize(128).save(file, optimize=True)


def main() -> None:
    drawn = {"dropped": of_drop, "viewer": of_viewer}
    for name in sys.argv[1:] or [*POSTURES, "dropped"]:
        file = FOLDER / f"{name}.png"
        drawn[name](file) if name in drawn else of_robot(name, file)
        print(f"{file.name} {file.stat().st_size / 1000:.1f} kB", flush=True)


if __name__ == "__main__":
    main()
