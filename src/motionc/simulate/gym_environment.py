"""A plant as a vector environment of Gymnasium, which is imported here and nowhere else."""

from importlib import import_module
from typing import Any

import numpy as np

from motionc.errors import Error
from motionc.simulate.episodes import Episodes

# an extra: strict types end here
gym: Any = import_module("gymnasium")
vector: Any = import_module("gymnasium.vector")

Array = np.ndarray[Any, np.dtype[Any]]


class PlantEnvironment(vector.VectorEnv):
    """Lanes of a closed loop as environments: actions from -1 to 1; a lane that has ended starts anew in the next step.

    In that step its action does not count, and its reward is 0 (Gymnasium's `NEXT_STEP`). What did not stay finite
    ends, with reward 0 and the observation before; `infos["diverged"]` says so.
    """

    def __init__(self, episodes: Episodes, longest: int | None) -> None:
        self.episodes, self.num_envs, self._longest = episodes, episodes.lanes, longest
        self.metadata = {"render_modes": [], "autoreset_mode": vector.AutoresetMode.NEXT_STEP}
        self._dtype = np.dtype(np.float64 if episodes.plant.precision == "double" else np.float32)
        count = episodes.actions.count
        self.single_action_space = gym.spaces.Box(-1.0, 1.0, (count,), np.float32)
        self._over = np.zeros(self.num_envs, bool)
        episodes.restart(np.random.default_rng(0))
        episodes.begin(np.ones(self.num_envs, bool), np.random.default_rng(0))
        size = episodes.read("observe").shape[1]
        self.single_observation_space = gym.spaces.Box(-np.inf, np.inf, (size,), self._dtype)
        batched: Any = import_module("gymnasium.vector.utils").batch_space
        self.action_space = batched(self.single_action_space, self.num_envs)
        self.observation_space = batched(self.single_observation_space, self.num_envs)
        for name in ("reward", "terminate"):
            if name in episodes.readings and (entries := episodes.read(name).shape[1]) != 1:
                raise Error(f"environment: {name} gives {entries} numbers a lane; give one")

    def __repr__(self) -> str:
        return f"PlantEnvironment({self.episodes.loop!r}, num_envs={self.num_envs})"

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        """All lanes anew; the same seed and actions give the same words."""
        super().reset(seed=seed, options=options)
        self.episodes.restart(self.np_random)
        self.episodes.begin(np.ones(self.num_envs, bool), self.np_random)
        self._over[:] = False
        return self._observed(), {}

    def step(self, actions: Any) -> tuple[Array, Array, Array, Array, dict[str, Any]]:
        """A step of all lanes: observations, rewards, whether each has ended or was cut off, and infos."""
        given = np.asarray(actions, float)
        if given.shape != self.action_space.shape or not np.all(np.isfinite(given)):
            said = "is not finite" if given.shape == self.action_space.shape else f"has shape {given.shape}"
            raise Error(f"environment: the action {said}; give {self.action_space.shape} numbers from -1 to 1")
        fresh, episodes = self._over.copy(), self.episodes
        if np.any(fresh):
            episodes.begin(fresh, self.np_random)
        off = episodes.advance(given, fresh)
        rewards = episodes.read("reward")[:, 0] if "reward" in episodes.readings else np.zeros(self.num_envs)
        rewards[fresh | off] = 0.0
        ended = episodes.read("terminate")[:, 0] != 0 if "terminate" in episodes.readings else np.zeros_like(fresh)
        ended = (ended | off) & ~fresh
        cut = (episodes.made >= self._longest) & ~ended & ~fresh if self._longest else np.zeros_like(fresh)
        self._over = ended | cut
        infos = {"diverged": off, "_diverged": off} if np.any(off) else {}
        return self._observed(), rewards, ended, cut, infos

    def _observed(self) -> Array:
        return self.episodes.read("observe").astype(self._dtype)
