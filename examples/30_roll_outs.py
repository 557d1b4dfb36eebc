"""A thousand arms fall into their springs: roll-outs in lanes, noise drawn lane by lane, a gradient through them."""

import numpy as np

import motionc as mc

robot = mc.load("lwr4")
step = mc.step(robot, 1e-3, stiffness=200.0, damping=20.0)
q_, v_, tau_, target_ = step.inputs

# motors shake, and whoever watches knows how far the arm is from its target
shake = mc.block("shake", lambda noise: {"tau": 5.0 * noise}, [mc.Port("noise", (7,), "1", "drawn each turn")], [tau_])
watch = mc.block(
    "watch",
    lambda q, target: {"away": ((q - target) * (q - target)).sum()},
    [q_, target_],
    [mc.Port("away", (), "rad²", "from the target, squared")],
)
loop = mc.loop(
    [shake, watch, step],
    feedback={"q": "q_next", "v": "v_next"},
    held=["target"],
    drawn={"noise": "normal"},
    log={"away": 100},
    name="shaken",
)
print(loop, f"{sum(loop.operations.values())} operations a turn")

starts = robot.random(0, size=1024)
target = np.zeros(7)
runs = loop.batch(q=starts, v=np.zeros(7), target=target, seconds=1.0, seed=7)
print(f"{runs.away.shape[0]} arms, rows at {runs.time[0]:.1f} … {runs.time[-1]:.1f} s; all finite: {runs.finite.all()}")
print("away at the beginning and at the end, median rad²:", np.median(runs.away[:, [0, -1]], axis=0).round(4))

# lane 100 alone draws the same numbers
alone = loop(q=starts[100], v=np.zeros(7), target=target, seconds=1.0, seed=7, lane=100)
print(f"lane 100 alone is off by {np.abs(alone.away - runs.away[100]).max():.0e}")

# the gradient through a tenth of a second: how the end follows from the target
gradient = loop.vjp("q", "target")
pull = gradient(q=starts[100], v=np.zeros(7), target=target, q_bar=np.ones(7), steps=100, seed=7, lane=100)
moved = [
    loop(q=starts[100], v=np.zeros(7), target=target + h * np.eye(7)[1], steps=100, seed=7, lane=100).state.q.sum()
    for h in (1e-6, -1e-6)
]
print(f"gradient by the second target {pull[1]:.6f}, differences say {(moved[0] - moved[1]) / 2e-6:.6f}")
