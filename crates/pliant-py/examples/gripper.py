"""A soft gripper as an environment in the manner of Gymnasium, a hundred of them in one process.

Two rigid jaws close on a soft ball and lift it. The action is how fast the jaws close and rise; the
observation is where jaws and ball are, how fast the ball moves and what presses on the jaws. Run it
to see how many steps a second 100 environments make:

    python gripper.py
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

import pliant

try:
    from gymnasium import Env, spaces
except ImportError:  # the environment works without, with the same methods
    Env, spaces = object, None  # type: ignore[assignment,misc]

#: Radius of the ball, m.
RADIUS = 0.05

#: Edges of a jaw, m.
JAW = (0.02, 0.08, 0.08)

#: Fastest closing and rising, m/s.
FASTEST = 0.3

#: Steps of an episode.
STEPS = 120

#: Numbers of an observation.
OBSERVED = 13


class SoftGripper(Env):  # type: ignore[misc,valid-type]
    """Lift a soft ball; the reward is its height above where it lay, in radii."""

    def __init__(self) -> None:
        if spaces is not None:
            self.action_space = spaces.Box(-1.0, 1.0, (2,), np.float64)
            self.observation_space = spaces.Box(-np.inf, np.inf, (OBSERVED,), np.float64)
        self._world = pliant.World(friction=0.8)
        self._floor = self._world.add(pliant.Obstacle.plane())
        body = pliant.SoftBody.ball(RADIUS, 2).young(2e4).density(300.0).damping(0.01)
        self._ball = self._world.add(body.at((0, 0, RADIUS)))
        self._jaws = [
            self._world.add(pliant.KinematicBody.cuboid(JAW).at((side * 0.09, 0, 0.05)))
            for side in (-1, 1)
        ]
        self._start = self._world.save()
        self._place = np.array([0.09, 0.05])
        self._count = 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float64], dict[str, Any]]:
        """Everything where it was; the ball is moved a little by the seed."""
        if spaces is not None:
            super().reset(seed=seed)
            generator = self.np_random
        else:
            generator = np.random.default_rng(seed)
        self._world.restore(self._start)
        shift = generator.uniform(-0.005, 0.005, 2)
        self._world.set_positions(
            self._ball, self._world.positions(self._ball) + [shift[0], shift[1], 0.0]
        )
        self._place = np.array([0.09, 0.05])
        self._count = 0
        return self._observed(), {}

    def step(
        self, action: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], float, bool, bool, dict[str, Any]]:
        """Closes by `action[0]` and rises by `action[1]`, each from −1 to 1."""
        close, rise = FASTEST * np.clip(action, -1.0, 1.0) * self._world.time_step
        self._place += (-close, rise)
        self._place = np.clip(self._place, (0.03, 0.045), (0.12, 0.4))
        for side, jaw in zip((-1, 1), self._jaws, strict=True):
            self._world.move_to(jaw, (side * self._place[0], 0.0, self._place[1]))
        report = self._world.step()
        self._count += 1
        seen = self._observed()
        reward = float(seen[4] / RADIUS - 1.0)
        return seen, reward, False, self._count >= STEPS, {"unconverged": report.unconverged}

    def _observed(self) -> NDArray[np.float64]:
        loads = [self._world.contact_load(jaw)[0] for jaw in self._jaws]
        return np.concatenate(
            [
                self._place,
                self._world.centre(self._ball),
                self._world.velocity(self._ball),
                loads[0] - loads[1],
                [np.linalg.norm(loads[0]), np.linalg.norm(loads[1])],
            ]
        )


def lift(step: int) -> NDArray[np.float64]:
    """A plan by hand: close for half a second, then rise."""
    return np.array([1.0, 0.0]) if step < 24 else np.array([0.15, 0.6])


def main(count: int = 100, steps: int = 60) -> float:
    """Steps per second of so many environments, each stepped by one of two threads."""
    grippers = [SoftGripper() for _ in range(count)]
    for seed, gripper in enumerate(grippers):
        gripper.reset(seed=seed)

    def episode(gripper: SoftGripper) -> float:
        return sum(gripper.step(lift(step))[1] for step in range(steps))

    begin, spent = time.perf_counter(), time.process_time()
    with ThreadPoolExecutor(2) as pool:
        rewards = list(pool.map(episode, grippers))
    rate = count * steps / (time.perf_counter() - begin)
    per_core = count * steps / (time.process_time() - spent)
    print(f"{count} environments: {rate:.0f} steps per second, {per_core:.0f} per second of CPU time,")
    print(f"mean reward of {steps} steps {np.mean(rewards):.2f}")
    return rate


if __name__ == "__main__":
    main()
