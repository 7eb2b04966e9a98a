"""``evtgen new``: what it writes is right as it stands, and what it refuses is left as it was."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evtgen.check import check
from evtgen.diagnostics.diagnostic import EvtgenError
from evtgen.emit.output.files import Written
from evtgen.frontend.load import load
from evtgen.model.data import operands
from evtgen.options import NewOptions
from evtgen.pipeline import new as pipeline
from evtgen.pipeline.gallery import FOLDER, KINDS, entries, entry
from evtgen.pipeline.new import WORKFLOW
from evtgen.planner.plan import lower
from evtgen.reference import product
from evtgen.verify.against import Against

from ..support.command import environment, run, started


def new(name: str, source: str | None, output: Path, **options: Any) -> Written:
    return pipeline.new(name, source, output, NewOptions(**options))


def refused(*arguments: Any, **options: Any) -> str:
    with pytest.raises(EvtgenError) as caught:
        new(*arguments, **options)
    return str(caught.value)


def files(directory: Path) -> dict[str, str]:
    """Every file below a directory, hidden ones, too."""
    paths = sorted(path for path in directory.rglob("*") if path.is_file())
    return {path.relative_to(directory).as_posix(): path.read_text(encoding="utf-8") for path in paths}


def test_an_entry_alone_is_the_epilogue_of_the_gallery(tmp_path: Path) -> None:
    """Each of them, under another name, with all that it needs of its file and nothing else."""
    originals = {epilogue.name: epilogue for epilogue in load(sorted(FOLDER.glob("*.py")))}
    assert entries().keys() == originals.keys() and len(originals) > 80
    for name in originals:
        new(f"{name}_mine", f"gallery/{name}", tmp_path, job=False)
    for name, original in originals.items():
        (own,) = load([tmp_path / f"{name}_mine.py"])
        assert own.name == f"{name}_mine" and repr(replace(own, name=name)) == repr(original)
        assert check(own) == []
        compile((tmp_path / f"test_{name}_mine.py").read_text(), "test", "exec")
    text = (tmp_path / "moving_average_mine.py").read_text()
    assert "lerp = operator(" in text and "squared_relu" not in text and "RowVector" not in text
    assert "noqa" not in "".join(files(tmp_path).values())


def test_the_tests_compare_with_a_function_where_that_is_possible(tmp_path: Path) -> None:
    without = []
    for name, found in entries().items():
        new("mine", name, tmp_path, job=False, force=True)
        if "against=mine.function" not in (tmp_path / "test_mine.py").read_text():
            without.append(name)
        (epilogue,) = (one for one in load([found.path]) if one.name == name)
        plan = lower(epilogue)
        problem = plan.kernel.problem(plan.wide((3, 7, 5)))
        given = operands(plan, problem, 0, "normal")
        assert epilogue.function is not None
        try:
            with np.errstate(all="ignore"):
                exact = product(given.a, given.b, problem)
                Against(epilogue.function).outputs(plan, problem, exact, given.read_by(plan))
        except EvtgenError as error:
            assert "EVT203" in str(error) and name in without
        else:
            assert name not in without
    assert without == ["expert_scatter", "grouped_matmul_finalize_routing", "dispatch_ffn_combine"]


@pytest.mark.cxx
def test_what_it_writes_passes(tmp_path: Path) -> None:
    """The spec, the test that goes with it, and its reference, which can fail."""
    new("scaled_add", None, tmp_path)
    assert "1 epilogue fine" in run("check", "scaled_add.py", cwd=tmp_path).stdout

    def tested(*options: str) -> str:
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *options]
        return subprocess.run(
            command, cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False
        ).stdout

    assert "4 passed" in tested()
    path = tmp_path / "test_scaled_add.py"
    path.write_text(path.read_text().replace("alpha * acc + X", "alpha * acc - X"))
    assert "1 failed, 3 deselected" in tested("-k", "data_of_our_own")


def test_a_package_imports_its_own(tmp_path: Path) -> None:
    (tmp_path / "__init__.py").touch()
    new("mine", None, tmp_path, job=False)
    assert "\nfrom .mine import mine\n" in (tmp_path / "test_mine.py").read_text()


def test_the_job_goes_where_it_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """To the root of the repository, once for all specs of a directory."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    made = new("mine", None, Path("kernels/specs"))
    assert made.written == ["kernels/specs/mine.py", "kernels/specs/test_mine.py", str(WORKFLOW)]
    assert new("other", "softmax", Path("kernels/specs")).unchanged == [str(WORKFLOW)]
    text = WORKFLOW.read_text()
    assert 'working-directory: "kernels/specs"' in text and "working-directory" not in _job(tmp_path / "elsewhere")
    said = refused("third", None, Path("kernels"))
    assert "EVT080" in said and f"{WORKFLOW} exists" in said and "--no-job" in said
    assert not Path("kernels/third.py").exists() and WORKFLOW.read_text() == text
    assert len(new("third", None, Path("kernels"), job=False).written) == 2


def test_the_job_is_a_workflow(tmp_path: Path) -> None:
    yaml: Any = pytest.importorskip("yaml", reason="needs PyYAML")
    job = yaml.safe_load(_job(tmp_path))["jobs"]["epilogues"]
    assert job["env"]["EVTGEN"] == "${{ vars.EVTGEN }}"
    assert [step["run"] for step in job["steps"] if "run" in step][-1] == "python -m pytest"


def _job(directory: Path) -> str:
    """That of a directory in no repository."""
    directory.mkdir(exist_ok=True)
    (directory / ".git").mkdir()
    new("mine", None, directory)
    return (directory / WORKFLOW).read_text()


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("", "EVT046"),
        ("a-b", "EVT046"),
        ("gallery/softmax", "EVT046"),
        ("../up", "EVT046"),
        ("x" * 201, "EVT046"),
        ("class", "EVT047"),
        ("_own", "EVT048"),
        ("helper", "EVT049"),
        ("lambda", "EVT226"),  # not in C++
        ("math", "EVT226"),
        ("numpy", "EVT226"),
        ("test_mine", "EVT226"),
        ("mine_test", "EVT226"),
        ("epilogue", "EVT226"),
        ("acc", "EVT226"),
        ("meant", "EVT226"),
        ("rng", "EVT226"),
        ("abs", "EVT226"),
    ],
)
def test_names_that_are_refused(tmp_path: Path, name: str, code: str) -> None:
    assert f"error[{code}]" in refused(name, None, tmp_path)
    assert not files(tmp_path)


@pytest.mark.parametrize("name", ["lambda_", "maths", "tested", "tests_mine", "Epilogue_2", "accumulate", "means"])
def test_names_that_are_not(tmp_path: Path, name: str) -> None:
    assert len(new(name, None, tmp_path, job=False).written) == 2
    assert load([tmp_path / f"{name}.py"])[0].name == name


def test_what_an_entry_uses_is_not_its_name(tmp_path: Path) -> None:
    assert "EVT226" in refused("lerp", "moving_average", tmp_path)
    assert new("lerp", "softmax", tmp_path, job=False).written


def test_an_entry_that_there_is_not(tmp_path: Path) -> None:
    assert entry("bias_gelu") == entry("gallery/bias_gelu")
    said = refused("mine", "gallery/bias_glu", tmp_path)
    assert "EVT227" in said and "did you mean bias_gelu?" in said
    said = refused("mine", "nothing like it", tmp_path)
    assert "EVT227" in said and all(name in said for name in ("bias_gelu", "softmax", "top1_gate"))
    assert not files(tmp_path)


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    new("mine", None, tmp_path, job=False)
    (tmp_path / "mine.py").unlink()
    (tmp_path / "test_mine.py").write_text("# edited\n")
    assert "EVT080" in refused("mine", None, tmp_path, job=False)
    assert files(tmp_path) == {"test_mine.py": "# edited\n"}
    assert len(new("mine", None, tmp_path, job=False, force=True).written) == 2
    assert len(new("mine", None, tmp_path, job=False).unchanged) == 2


def test_the_command(tmp_path: Path) -> None:
    done = run("new", "mine", "--from", "gallery/softmax", "-o", "specs", "--no-job", cwd=tmp_path)
    assert done.stdout == "wrote    specs/mine.py\nwrote    specs/test_mine.py\n2 files written, 0 unchanged\n"
    made = json.loads(run("new", "mine", "--from", "softmax", "-o", "specs", "--no-job", "--json", cwd=tmp_path).stdout)
    assert made["ok"] and made["unchanged"] == ["specs/mine.py", "specs/test_mine.py"]
    wrong = run("new", "mine", "-o", "specs", "--no-job", "--json", cwd=tmp_path)
    assert wrong.returncode == 2
    assert [d["code"] for d in json.loads(wrong.stdout)["diagnostics"]] == ["EVT080", "EVT080"]
    assert run("new", cwd=tmp_path).returncode == 2


@pytest.mark.fast
def test_every_entry_is_of_one_kind() -> None:
    """A new one needs a place in KINDS."""
    named = " ".join(KINDS.values()).split()
    assert sorted(named) == sorted(entries())


def test_the_shell_completes_entries(tmp_path: Path) -> None:
    words = {"COMP_WORDS": "evtgen new mine --from gallery/soft", "COMP_CWORD": "4"}
    done = started(cwd=tmp_path, _EVTGEN_COMPLETE="complete_bash", **words)
    assert done.stdout.split() == ["gallery/softmax", "gallery/softmax_lse", "gallery/softmax_max"]
