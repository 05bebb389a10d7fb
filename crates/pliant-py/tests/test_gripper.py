"""The soft gripper of the examples."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

FILE = Path(__file__).parent.parent / "examples" / "gripper.py"


@pytest.fixture
def gripper():
    spec = importlib.util.spec_from_file_location("gripper", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_plan_by_hand_lifts_the_ball(gripper):
    environment = gripper.SoftGripper()
    seen, _ = environment.reset(seed=3)
    assert seen.shape == (gripper.OBSERVED,)
    low = seen[4]
    for step in range(gripper.STEPS):
        seen, reward, terminated, truncated, info = environment.step(gripper.lift(step))
    assert truncated and not terminated
    assert seen[4] > low + 0.1 and reward > 2


def test_a_reset_repeats_the_same_bits(gripper):
    environment = gripper.SoftGripper()
    ends = []
    for _ in range(2):
        environment.reset(seed=1)
        for step in range(40):
            seen = environment.step(gripper.lift(step))[0]
        ends.append(seen)
    assert np.array_equal(*ends)


@pytest.mark.long
def test_a_hundred_environments_share_a_process(gripper, capsys):
    assert gripper.main(count=100, steps=60) > 0
    assert "steps per second" in capsys.readouterr().out


@pytest.mark.long
def test_gymnasium_accepts_the_environment(gripper):
    checker = pytest.importorskip("gymnasium.utils.env_checker")
    checker.check_env(gripper.SoftGripper(), skip_render_check=True)
