"""Plants as vector environments: what Gymnasium's own checks say, episodes, seeds, actions and what is refused."""

import sys
import warnings

import numpy as np
import pytest

import motionc as mc
from motionc import simulate as sim
from motionc.simulate.actions import actions_on

ROBOT = mc.load("planar2")
LIMITS = {"low": -5.0, "high": 5.0}


def around(rng, count):
    return {"q": rng.normal(size=(count, 2)), "v": np.zeros((count, 2))}


def near(q, action):
    return -np.sum(q**2, axis=1) - 0.01 * np.sum(action**2, axis=1)


@pytest.fixture(scope="module")
def gym():
    return pytest.importorskip("gymnasium", reason="Gymnasium (motionc[gym]) is absent")


@pytest.fixture(scope="module")
def plant():
    return sim.Plant(ROBOT, dt=5e-3)


def test_what_is_missing_is_said(monkeypatch, plant) -> None:
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    monkeypatch.delitem(sys.modules, "motionc.simulate.gym_environment", raising=False)
    with pytest.raises(mc.Error, match=r"pip install 'motionc\[gym\]'"):
        sim.environment(plant, **LIMITS)


def test_gymnasium_s_own_checks_have_nothing_to_say(gym, plant) -> None:
    from gymnasium.utils.env_checker import check_env

    class One(gym.Env):
        """A lane, as Gymnasium's checks want it."""

        metadata = {"render_modes": []}  # noqa: RUF012

        def __init__(self) -> None:
            self.all = sim.environment(plant, reward=near, start=around, seconds=0.5, **LIMITS)
            self.observation_space, self.action_space = self.all.single_observation_space, self.all.single_action_space

        def reset(self, *, seed=None, options=None):
            super().reset(seed=seed)
            seen, infos = self.all.reset(seed=seed, options=options)
            return seen[0], infos

        def step(self, action):
            *arrays, infos = self.all.step(np.asarray(action)[np.newaxis])
            seen, reward, ended, cut = (array[0] for array in arrays)
            return seen, float(reward), bool(ended), bool(cut), infos

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", ".*(infinity|render|spec|unwrapped|Box observation).*")
        check_env(One(), skip_render_check=True)
    many = sim.environment(plant, num_envs=3, reward=near, start=around, **LIMITS)
    assert isinstance(many, gym.vector.VectorEnv)
    assert many.metadata["autoreset_mode"] is gym.vector.AutoresetMode.NEXT_STEP
    wrapped = gym.wrappers.vector.RecordEpisodeStatistics(many)
    seen, _ = wrapped.reset(seed=1)
    for _ in range(3):
        seen, rewards, *_ = wrapped.step(many.action_space.sample())
    assert many.observation_space.contains(seen)
    assert rewards.shape == (3,)
    many.close()


def test_a_step_is_so_many_turns_of_the_loop_under_the_scaled_action(gym, plant) -> None:
    env = sim.environment(plant, num_envs=4, start=around, reward=near, decimation=7, **LIMITS)
    seen, _ = env.reset(seed=3)
    actions = np.random.default_rng(1).uniform(-1.5, 1.5, (4, 2)).astype(np.float32)
    found, rewards, ended, cut, _ = env.step(actions)
    told = np.clip(actions.astype(float), -1, 1)
    run = sim.closed(plant).batch({"q": seen[:, :2], "v": seen[:, 2:]}, tau=5.0 * told, steps=7)
    assert np.allclose(found, np.hstack([run.last_q, run.last_v]), rtol=1e-12)
    assert np.allclose(rewards, near(run.last_q, actions.astype(float)))
    assert not ended.any()
    assert not cut.any()


def test_lanes_end_alone_and_start_anew_in_the_next_step(gym, plant) -> None:
    env = sim.environment(
        plant,
        num_envs=5,
        start=around,
        reward=lambda time: time,
        terminate=lambda q: np.abs(q[:, 0]) > 1.0,
        seconds=0.2,
        **LIMITS,
    )
    seen, _ = env.reset(seed=0)
    loop = sim.closed(plant)
    made = np.zeros(5, int)
    over = np.zeros(5, bool)
    both = np.zeros(2, int)
    for _ in range(12):
        before, actions = seen, env.action_space.sample()
        seen, rewards, ended, cut, _ = env.step(actions)
        run = loop.batch({"q": before[:, :2], "v": before[:, 2:]}, tau=5.0 * actions.astype(float), steps=10)
        assert np.allclose(seen[~over], np.hstack([run.last_q, run.last_v])[~over], rtol=1e-12)
        made = np.where(over, 0, made + 1)
        assert np.allclose(rewards, made * 0.05)
        assert np.array_equal(ended, (np.abs(seen[:, 0]) > 1.0) & ~over)
        assert np.array_equal(cut, (made == 4) & ~ended)
        assert np.all(seen[over, 2:] == 0)  # at rest, where it started
        assert not np.any(np.all(seen == before, axis=1))
        over = ended | cut
        both += [ended.sum(), cut.sum()]
    assert np.all(both > 0)


def test_the_same_seed_and_actions_give_the_same_words_noise_and_plants_too(gym) -> None:
    plant = sim.Plant(ROBOT, dt=5e-3, sensors=[sim.Encoder(noise=1e-2)], vary={"*.mass": 0.3})
    env = sim.environment(
        plant, num_envs=3, observe=["q_measured", "v", "time"], start=around, seconds=0.1, decimation=4, **LIMITS
    )
    actions = np.random.default_rng(0).uniform(-1, 1, (20, 3, 2))

    def rolled(seed):
        seen = [env.reset(seed=seed)[0]]
        seen += [env.step(action)[0] for action in actions]
        return np.array(seen)

    one, same, other = rolled(5), rolled(5), rolled(6)
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)
    # a plant of its own for every episode
    episodes = env.episodes
    assert np.all(episodes._begun == 4)
    for name, value in plant.plants(episodes._seed, 9 + np.arange(3)).items():
        assert np.array_equal(episodes._plants[name], value)
        assert not np.array_equal(plant.plants(episodes._seed, np.arange(3))[name], value)


def test_blocks_observe_reward_and_end(gym, plant) -> None:
    q, v = (mc.forward_dynamics(ROBOT).inputs[k] for k in (0, 1))
    angle = mc.block(
        "angle", lambda q: {"seen": np.array([np.cos(q[0]), np.sin(q[0])])}, [q], [mc.Port("seen", (2,), "1", "")]
    )
    worth = mc.block("worth", lambda v: {"worth": -v[0] * v[0]}, [v], [mc.Port("worth", (), "1", "")])
    env = sim.environment(plant, num_envs=2, observe=angle, reward=worth, start=around, **LIMITS)
    seen, _ = env.reset(seed=1)
    assert np.allclose(np.sum(seen**2, axis=1), 1.0)
    _, rewards, *_ = env.step(env.action_space.sample())
    assert np.allclose(rewards, -(env.episodes.state["v"][:, 0] ** 2))


def test_actions_go_to_the_limits_of_the_robot_or_through_a_controller(gym) -> None:
    arm = mc.load("youbot_arm")
    servo = sim.environment(sim.Plant(arm, actuators=sim.Position(100.0, 5.0)))
    assert np.allclose(servo.episodes.actions.told([np.ones(5)]), arm.limits.upper)
    motors = sim.environment(sim.Plant(arm)).episodes.actions
    assert np.allclose(motors.told([-np.ones(5)]), -arm.limits.effort)
    law = sim.environment(sim.Plant(arm), mc.control.pd(arm, 100.0, 5.0))
    assert law.episodes.actions.port.name == "target"


def test_actions_are_shares_between_limits_and_stay_within() -> None:
    arm = mc.load("youbot_arm")
    shares = np.outer([-9.0, -1.0, 0.0, 0.5, 7.0], np.ones(5))
    for actuator, low, high in (
        (sim.Position(100.0, 5.0), arm.limits.lower, arm.limits.upper),
        (sim.Velocity(10.0), -arm.limits.velocity, arm.limits.velocity),
        (sim.Torque(), -arm.limits.effort, arm.limits.effort),
    ):
        told = actions_on(arm, sim.Plant(arm, actuators=actuator).command, None, None).told(shares)
        assert np.allclose(told, [low, low, (low + high) / 2, 0.25 * low + 0.75 * high, high])


def test_a_lane_that_diverges_ends_and_goes_on(gym, plant) -> None:
    def start(rng, count):
        return {"q": np.zeros((count, 2)), "v": np.array([[1e200, 0.0]] + [[0.0, 0.0]] * (count - 1))}

    env = sim.environment(plant, num_envs=2, reward=near, start=start, **LIMITS)
    seen, _ = env.reset(seed=0)
    found, rewards, ended, _, infos = env.step(np.zeros((2, 2)))
    assert infos["diverged"].tolist() == ended.tolist() == [True, False]
    assert np.array_equal(found[0], seen[0])
    assert rewards[0] == 0
    assert np.isfinite(env.step(np.zeros((2, 2)))[0]).all()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"num_envs": 0}, "a whole number of environments"),
        ({"decimation": 1.5}, "whole number of steps"),
        ({"seconds": 1e-9}, "at least those of a step"),
        ({"low": None, "high": None}, "no limits of tau"),
        ({"low": 1.0, "high": -1.0}, "not below high"),
        ({"low": [1.0]}, "give a number, or 2"),
        ({"observe": ["qq"]}, "reads 'qq'"),
        ({"observe": 3}, "observe"),
        ({"reward": lambda *q: q}, "its arguments must have names"),
        ({"reward": ("q", "v")}, "reward gives 4 numbers a lane"),
        ({"action": "torque"}, "'torque' is no input"),
        ({"held": {"aim": 1.0}}, "nothing takes 'aim'"),
        ({"start": {"x": 1.0}}, "nothing is carried on that is called 'x'"),
        ({"start": {"q": [1.0]}}, r"q has shape \(1,\)"),
        ({"plant": "planar2"}, "environment: plant"),
        ({"plant": sim.Plant(ROBOT, pushes=[sim.Push("tip", (1.0, 0.0, 0.0))])}, "by the clock"),
    ],
)
def test_what_does_not_fit_is_a_sentence(gym, plant, change, sentence) -> None:
    with pytest.raises(mc.Error, match=sentence):
        sim.environment(**{"plant": plant, **LIMITS, **change})


def test_an_action_that_is_none_is_a_sentence(gym, plant) -> None:
    env = sim.environment(plant, num_envs=2, **LIMITS)
    env.reset(seed=0)
    for action, sentence in ((np.zeros(2), r"has shape \(2,\)"), (np.full((2, 2), np.nan), "is not finite")):
        with pytest.raises(mc.Error, match=sentence):
            env.step(action)
