"""Damping and friction: how long does an arm swing? Dynamics leave both out unless they are asked; MuJoCo beside us."""

import numpy as np

import motionc as mc
from motionc.formats import read_mjcf

TEXT = """<mujoco model="swing"><worldbody>
  <body name="upper"><joint name="shoulder" axis="0 1 0" damping="0.4"/>
    <geom type="capsule" size="0.04" fromto="0 0 0 0 0 -0.6" mass="2"/>
    <body name="lower" pos="0 0 -0.6"><joint name="elbow" axis="0 1 0" damping="0.1"/>
      <geom type="capsule" size="0.03" fromto="0 0 0 0 0 -0.5" mass="1"/></body></body>
</worldbody></mujoco>"""

document = read_mjcf(TEXT, "swing.xml")
print(document.findings)  # the file says damping, and hears that it must be asked for
robot = mc.Robot(document.chain)

# ---------------------------------------------------------------- with and without, ten seconds of swinging
energy, dt = mc.energy(robot), 1e-3
for friction in (False, True):
    step = mc.step(robot, dt, method="rk4", friction=friction)
    q, v = np.array([0.5, 0.2]), np.zeros(2)
    start = sum(energy(q, v))
    for _ in range(10_000):
        q, v = step(q, v, np.zeros(2))
    print(f"friction={friction}: energy {start:.3f} J at first, {sum(energy(q, v)):.3f} J after 10 s")

# ---------------------------------------------------------------- the derivative knows it: the system is damped
hanging, rest = np.zeros(2), np.zeros(2)
by_q, by_v = (mc.forward_dynamics(robot, friction=True).derivative("a", by)(hanging, rest, rest) for by in "qv")
poles = np.linalg.eigvals(np.block([[np.zeros((2, 2)), np.eye(2)], [by_q, by_v]]))
print("poles", np.sort_complex(poles).round(3))
assert np.all(poles.real < 0)

# ---------------------------------------------------------------- MuJoCo's dampers do the same
try:
    import mujoco
except ImportError:
    print("mujoco is not installed: pip install motionc[mujoco]")
else:
    model = mujoco.MjModel.from_xml_string(TEXT)
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = (0.3, -0.8), (2.0, -1.0)
    mujoco.mj_forward(model, data)
    ours = mc.forward_dynamics(robot, friction=True)(data.qpos, data.qvel, np.zeros(2))
    print("MuJoCo", data.qacc_smooth.round(6), "ours", ours.round(6))
    assert np.allclose(ours, data.qacc_smooth, rtol=1e-10)
