"""Plants to learn on: environments of Gymnasium, which is imported when one is asked for, and not before."""

from collections.abc import Mapping
from typing import Any

from motionc import checked
from motionc.errors import Error
from motionc.simulate.closed_loop import Controller
from motionc.simulate.episodes import Episodes, Read, reading
from motionc.simulate.plant import Plant

MOST_LANES, MOST_TURNS = 2**24, 10**6
"""Lanes of an environment, and turns of a step, at most."""


def environment(
    plant: Plant,
    controller: Controller = None,
    *,
    observe: Read = ("q", "v"),
    reward: Read | None = None,
    terminate: Read | None = None,
    start: Any = None,
    num_envs: int = 1,
    decimation: int = 10,
    rate: int = 1,
    seconds: float | None = None,
    action: str = "",
    low: Any = None,
    high: Any = None,
    held: Mapping[str, Any] | None = None,
    threads: int | None = None,
) -> Any:
    """A closed loop as a vector environment of Gymnasium (`gymnasium.vector.VectorEnv`): to learn a policy on.

    Actions are numbers from -1 to 1, scaled to limits; a step is one batch call of the compiled loop. A lane that has
    ended starts anew in the next step (`NEXT_STEP`), of a plant drawn anew where they differ (`Plant(vary=…)`); equal
    seeds and actions give equal words. What observes, rewards and ends reads states and outputs of the loop by name,
    and `action` and `time`, the seconds since the episode began.

    Args:
        plant: what moves.
        controller: what stands between actions and the plant; None where actions are its command.
        observe: names, a computation on ports, or a function on arrays (N, …) whose arguments have these names.
        reward: likewise, one number a lane; 0 unless said.
        terminate: likewise, one number or truth a lane, which ends an episode where it is not 0.
        start: {"q": …, "v": …}, or a function of (rng, count) that gives it for many lanes; plant.start() unless said.
        num_envs: lanes.
        decimation: steps of the plant in a step of the environment.
        rate: steps of the plant from one run of the controller to the next.
        seconds: after which an episode is cut off; never unless said.
        action: the input of the loop that is acted on; the plant's command, or the one there is, unless said.
        low, high: what -1 and 1 stand for; the robot's limits unless said.
        held: {input: value} of what else the loop takes.
        threads: of a batch call; as many as there are cores unless said.
    """
    checked.instance("environment: plant", plant, Plant, "give a mc.simulate.Plant(…)")
    lanes = _whole("num_envs", num_envs, "environments", MOST_LANES)
    turns = _whole("decimation", decimation, "steps", MOST_TURNS)
    longest = None
    if seconds is not None:
        step, wanted = turns * plant.dt, "give seconds, at least those of a step"
        longest = round(checked.number("environment: seconds", seconds, wanted, fits=lambda s: s >= step) / step)
    asked = {"observe": observe, "reward": reward, "terminate": terminate}
    readings = {
        name: reading(f"environment: {name}", one)
        for name, one in asked.items()
        if one is not None or name == "observe"
    }
    try:
        from motionc.simulate.gym_environment import PlantEnvironment
    except ImportError as error:
        raise Error(f"environment needs Gymnasium ({error}): pip install 'motionc[gym]'") from None
    episodes = Episodes(
        plant,
        controller,
        readings,
        lanes=lanes,
        turns=turns,
        rate=rate,
        action=action,
        low=low,
        high=high,
        held={} if held is None else held,
        start=start,
        threads=threads,
    )
    return PlantEnvironment(episodes, longest)


def _whole(name: str, given: int, what: str, most: int) -> int:
    wanted = f"give a whole number of {what} from 1 to {most:,}"
    found = checked.whole(f"environment: {name}", given, 1, wanted)
    if found > most:
        raise checked.refusal(f"environment: {name}", given, wanted)
    return found
