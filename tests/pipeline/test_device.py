"""The search and the profile on a device, with stand-ins for PyTorch, torch_npu and the operators."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import evtgen as evt
from evtgen import Acc, Aux, RowVector, Scalar, half
from evtgen.diagnostics.extension import NO_OPERATOR
from evtgen.frontend.load import load
from evtgen.kernels import Matmuls
from evtgen.measure.profile import Profile
from evtgen.model.data import operands
from evtgen.pipeline import device, profile, tune
from evtgen.planner.plan import lower

from ..support.optional import torch
from ..support.paths import EXAMPLES
from ..support.said import refused

SHAPE = (16, 512, 256)


class Event:
    """Records the time of a device, on which a launch takes as many microseconds as its block has rows."""

    now = 0.0

    def __init__(self, *, enable_timing: bool) -> None:
        assert enable_timing
        self.at = -1.0

    def record(self) -> None:
        self.at = Event.now

    def elapsed_time(self, end: Event) -> float:
        return (end.at - self.at) / 1000


class Tensor:
    def to(self, where: str) -> str:
        return f"on {where}"


@pytest.fixture
def launched(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[list[Any]]:
    """A device; the arguments of each launch."""
    calls: list[Any] = []

    def operator(epilogue: Any) -> Any:
        plan = lower(epilogue)

        def launch(**given: Any) -> None:
            calls.append(given)
            Event.now += plan.mmad_tiles[0][0]

        return SimpleNamespace(plan=plan, function=launch)

    npu = SimpleNamespace(
        is_available=lambda: True, Event=Event, synchronize=lambda: None, get_device_name=lambda: "Ascend910B3"
    )
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(npu=npu))
    monkeypatch.setitem(sys.modules, "torch_npu", SimpleNamespace(__version__="2.7.1"))
    (tmp_path / "cann/opp").mkdir(parents=True)
    (tmp_path / "cann/opp/version.info").write_text("Version=8.3\n")
    monkeypatch.setenv("ASCEND_HOME_PATH", str(tmp_path / "cann"))
    monkeypatch.setenv("EVTGEN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(device, "operators", lambda several: {one.name: operator(one) for one in several})
    monkeypatch.setattr(device, "arguments", lambda *given: {"a": Tensor(), "b": [Tensor(), Tensor()], "alpha": 0.5})
    monkeypatch.setattr(tune, "verify_plans", lambda plans, options: [SimpleNamespace(ok=True)])
    tiles = [{}, *({"l1": (rows, 256, 256), "l0": None} for rows in (64, 32))]
    monkeypatch.setattr(tune, "axes_of", lambda plan: {"tiles": tiles})
    yield calls


def test_the_search_times_launches(launched: list[Any]) -> None:
    (add,) = load(EXAMPLES[:1])
    every = evt.tune(add, shapes=[SHAPE], device=True)
    (found,) = every
    assert found.device and found.all and found.assumed is None
    assert found.winner.options["l1"] == (32, 256, 256) and found.gain == lower(add).mmad_tiles[0][0] / 32
    assert found.winner.cycles == (32 * lower(add).arch.costs["mhz"],)
    assert found.to_json()["source"] == "measured on a device" and "measured on a device" in str(every)
    assert launched[0] == {"a": "on npu", "b": ["on npu", "on npu"], "alpha": 0.5}
    with refused("EVT079", "--device goes with none"):
        evt.tune(add, shapes=[SHAPE], device=True, jobs=2)


def test_times_are_kept_for_a_device_and_its_software(
    launched: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (add,) = load(EXAMPLES[:1])

    def launches() -> int:
        launched.clear()
        evt.tune(add, shapes=[SHAPE], device=True)
        return len(launched)

    first = launches()
    assert first and launches() == 0, "kept"
    sys.modules["torch"].npu.get_device_name = lambda: "Ascend910B4"
    assert launches() == first and launches() == 0
    monkeypatch.setitem(sys.modules, "torch_npu", SimpleNamespace(__version__="2.8.0"))
    assert launches() == first and launches() == 0
    (tmp_path / "cann/opp/version.info").write_text("Version=8.5\n")
    assert launches() == first and launches() == 0


def test_a_kernel_that_cann_refuses_has_no_time(launched: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    (add,) = load(EXAMPLES[:1])
    built = vars(device)["operators"]
    refuses = {32}

    def operators(several: Any) -> Any:
        if any(refuses & {lower(one).mmad_tiles[0][0]} for one in several):
            raise NO_OPERATOR.refusal("not built", said="ub overflow")
        return built(several)

    monkeypatch.setattr(device, "operators", operators)
    (found,) = evt.tune(add, shapes=[SHAPE], device=True)
    assert found.winner.options["l1"] == (64, 256, 256) and len(found.tried) == 2
    assert evt.tune(add, shapes=[SHAPE], device=True)[0] == found, "kept, too"
    refuses.add(lower(add).mmad_tiles[0][0])
    with refused("EVT260", "ub overflow"):
        evt.tune(add, shapes=[(32, 512, 256)], device=True)


@pytest.mark.parametrize("apart", [False, True])
def test_what_an_operator_is_called_with(apart: bool) -> None:
    torch()

    @evt.epilogue(gemm=evt.Gemm(a=half, b=half, group="m", group_list="counts", layout_b=evt.ColumnMajor))
    def called(acc: Acc[half], X: Aux[half], bias: RowVector[half], alpha: Scalar[half]) -> dict[str, Any]:
        return {"D": acc * alpha + X + bias}

    plan, groups = lower(called), (5, 11)
    problem = plan.problem(SHAPE, Matmuls(groups=groups))
    given = operands(plan, problem, 0, "int", absent=False)
    names = ("a", "b", "X", "bias", "alpha", "groups")
    op = SimpleNamespace(
        default=SimpleNamespace(_schema=SimpleNamespace(arguments=[SimpleNamespace(name=n) for n in names]))
    )
    laid = device.arguments(plan, op, problem, given, apart=apart)
    assert set(laid) == set(names) and laid["alpha"] == given.inputs["alpha"].item()
    assert laid["groups"].tolist() == [*groups]
    for name, there in (("a", given.a), ("b", given.b.reshape(2, 256, 512)), ("X", given.inputs["X"])):
        assert (laid[name].numpy() == there).all() and laid[name].is_contiguous() == (name != "b" and not apart), name
    assert laid["bias"].shape == (2, 512) and laid["b"].mT.is_contiguous() == (not apart)


def test_a_profile_has_the_time_of_the_device(launched: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    (add,) = load(EXAMPLES[:1])

    def profiled(plans: Any, options: Any, progress: Any = None) -> list[Profile]:
        return [Profile(1850, 0, {"AIV": {}}, 0.0, 0, 1850, {}, [], plan.name, options.shape, plan.buffers, 1, [])
                for plan in plans]  # fmt: skip

    monkeypatch.setattr(profile, "profile_plans", profiled)
    one, other = evt.profile(add, shapes=[SHAPE, (32, 512, 256)], device=True)
    assert one.measured is not None and one.measured == other.measured
    assert one.measured.task == lower(add).mmad_tiles[0][0] and not one.measured.times
    assert "With the launch" in str(evt.profile(add, shape=SHAPE, device=True))
    with refused("EVT079", "--device goes with none"):
        evt.profile(add, shape=SHAPE, device=True, measured=__file__)


def test_without_a_device(launched: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    (add,) = load(EXAMPLES[:1])

    def both(names: str, help: str) -> None:
        with refused("EVT305", names, help=help):
            evt.tune(add, shapes=[SHAPE], device=True)
        with refused("EVT305", names, help=help):
            evt.profile(add, shape=SHAPE, device=True)

    monkeypatch.delenv("ASCEND_HOME_PATH")
    both("ASCEND_HOME_PATH", "set_env.sh")
    monkeypatch.setattr(sys.modules["torch"].npu, "is_available", lambda: False)
    both("no device", "--device")
    monkeypatch.setitem(sys.modules, "torch_npu", None)
    both("torch_npu", "--device")
