"""What a dump holds, whatever the tensors are called."""

from __future__ import annotations

import errno
from pathlib import Path

import numpy as np
import pytest

from evtgen.diagnostics.diagnostic import EvtgenError
from evtgen.model import trace
from evtgen.model.data import Operands
from evtgen.verify import dump

SMALL = np.ones((2, 2), np.float16)


def test_inputs_that_are_called_like_operands_of_the_gemm(tmp_path: Path) -> None:
    import ml_dtypes

    brain = np.full((2, 2), 1.5, ml_dtypes.bfloat16)
    inputs = {"C": 3 * SMALL, "X": brain, "gone": SMALL, "file": 6 * SMALL, "allow_pickle": 7 * SMALL}
    given = Operands(SMALL, 2 * SMALL, inputs)
    dump.write(tmp_path / "run.npz", given, 4 * SMALL, ("gone",), {"out": {"C": 5 * SMALL}})
    with np.load(tmp_path / "run.npz", allow_pickle=False) as found:
        values = {name: float(found[name][0, 0]) for name in found}
    assert values == {"A": 1, "B": 2, "C": 4, "in.C": 3, "X": 1.5, "out.C": 5, "file": 6, "allow_pickle": 7}


def test_a_place_that_is_no_directory_is_refused(tmp_path: Path) -> None:
    dump.prepare(tmp_path / "new" / "deep")
    assert (tmp_path / "new" / "deep").is_dir() and not list((tmp_path / "new" / "deep").iterdir())
    (tmp_path / "file").write_text("")
    with pytest.raises(EvtgenError) as caught:
        dump.prepare(tmp_path / "file")
    assert [d.code for d in caught.value.diagnostics] == ["EVT096"] and caught.value.status == 2
    with pytest.raises(EvtgenError):
        dump.write(tmp_path / "nowhere" / "run.npz", Operands(SMALL, SMALL, {}), SMALL, (), {})


def test_a_full_disk_leaves_no_part_of_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(entry: object, *_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(np.lib.format, "write_array", full)
    with pytest.raises(EvtgenError, match="EVT098"):
        dump.write(tmp_path / "run.npz", Operands(SMALL, SMALL, {}), SMALL, (), {})
    original = Path.write_text

    def cut(path: Path, text: str, **given: str) -> None:
        original(path, text[:9], **given)
        full(path)

    monkeypatch.setattr(Path, "write_text", cut)
    with pytest.raises(EvtgenError, match="EVT073"):
        trace.write(tmp_path / "trace.json", [])
    assert not list(tmp_path.iterdir())
