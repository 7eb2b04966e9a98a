"""The summary of sabotage is in step with the mutants, and a sample of them is flagged.

``make sabotage`` and ``make sabotage-ascend950`` run them all.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from evtgen.targets import ARCHITECTURES
from sabotage.findings import Hazard, findings
from sabotage.mutants import Mutant, is_compiled, mutants, sample
from sabotage.page import PAGE, keep, kept, made, summary
from sabotage.rules import RULES
from sabotage.run import intact, run
from sabotage.subjects import ASCEND950, ATLAS_A2, framework, subjects

from ..support.epilogues import FULL

SAMPLES = {ATLAS_A2: 5, ASCEND950: 2}


def faults(arch: str) -> list[Mutant]:
    return [mutant for mutant in mutants(arch) if mutant.harmless is None]


@pytest.mark.parametrize("arch", SAMPLES)
def test_the_summary_is_of_a_whole_run(arch: str) -> None:
    """`make sabotage` and `make sabotage-ascend950` write it, with a digest of the text that they broke.

    A sample of the mutants would be far fewer than there are now; a later text may have a few more or fewer.
    """
    rows = re.findall(r"^\| (.*?) \| (\d+) \| (\d+) \| (\d+) \|$", kept(arch), re.MULTILINE)
    counts = {name: tuple(map(int, numbers)) for name, *numbers in rows}
    total = counts.pop("**all**")
    assert total == tuple(map(sum, zip(*counts.values(), strict=True))) and total[0] == total[1] + total[2]
    assert 0.9 < total[0] / len(mutants(arch)) < 1.1
    assert re.fullmatch(r"Made from text with digest [0-9a-f]{12}\.", kept(arch).splitlines()[-1])


def test_a_summary_counts_every_mutant() -> None:
    found = summary(mutants(ATLAS_A2), ATLAS_A2)
    assert f"| **all** | {len(mutants(ATLAS_A2))} | {len(faults(ATLAS_A2))} |" in found
    assert made(ATLAS_A2) in found != summary(mutants(ASCEND950), ASCEND950)


def test_a_summary_has_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "sabotage.md"
    page.write_text(PAGE.read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.setattr("sabotage.page.PAGE", page)
    monkeypatch.setattr("sabotage.page.TABLES", tmp_path)
    keep(ATLAS_A2, "rows\n", "table\n")
    assert kept(ATLAS_A2) == "rows\n" and (tmp_path / f"{ATLAS_A2}.md").read_text() == "table\n"
    with pytest.raises(ValueError, match="no place"):
        keep("Ascend9000", "", "")


@pytest.mark.parametrize("arch", SAMPLES)
def test_there_are_enough(arch: str) -> None:
    assert len(faults(arch)) >= 300
    assert len({(m.name, m.text) for m in mutants(arch)}) == len(mutants(arch))


def test_every_rule_breaks_something() -> None:
    """A rule without a mutant in any subject is of an earlier text."""
    broken = {id(mutant.rule) for arch in SAMPLES for mutant in mutants(arch)}
    assert [f"{rule.name}: {rule.what}: {rule.pattern}" for rule in RULES if id(rule) not in broken] == []


def test_mutants_are_of_what_is_compiled() -> None:
    text = "a\n#if defined(X) && CATLASS_ARCH == 3510\nb\n#endif\nc\n"
    old, new = ARCHITECTURES[ATLAS_A2], ARCHITECTURES[ASCEND950]
    assert [is_compiled(text, text.index(f"\n{letter}\n") + 1, old) for letter in "bc"] == [False, True]
    assert is_compiled(text, text.index("\nb\n") + 1, new)
    calls = {arch: "\n".join(mutant.shown for mutant in mutants(arch)) for arch in SAMPLES}
    assert "SYNC_MODE_CORE" in calls[ASCEND950] and "SYNC_MODE_CORE" not in calls[ATLAS_A2]
    assert "AscendC::PipeBarrier<PIPE_V>()" in calls[ATLAS_A2] and "PipeBarrier<PIPE_V>" not in calls[ASCEND950]


def test_both_ways_of_the_accumulator_have_subjects() -> None:
    assert {subject.plan.gemm.handoff for subject in subjects(ATLAS_A2)} == {"gm"}
    ways = [subject.plan.gemm.handoff for subject in subjects(ASCEND950)]
    assert min(ways.count(way) for way in ("gm", "ub")) >= 15
    for way in ("gm", "ub"):
        assert [mutant for mutant in faults(ASCEND950) if mutant.struct == way]


def test_barriers_of_v_are_needed_where_the_hardware_keeps_no_order() -> None:
    # Ascend950 casts floats of 8 bits, and Atlas A2 has a node for them; Ascend950 alone casts scales of MX formats
    both = {mutant.path for mutant in mutants(ATLAS_A2)} & {mutant.path for mutant in mutants(ASCEND950)}
    both = {path for path in both if not path.endswith("visitor_cast.hpp")}

    def barriers(arch: str) -> list[Mutant]:
        return [m for m in mutants(arch) if m.path in both and re.search(r"BarrierV\(\)", m.shown)]

    assert len(barriers(ATLAS_A2)) == len(barriers(ASCEND950)) > 100
    assert all(mutant.same and mutant.harmless for mutant in barriers(ASCEND950))
    assert not any(mutant.same or mutant.harmless for mutant in barriers(ATLAS_A2))
    assert not any(mutant.same for mutant in mutants(ASCEND950) if "BarrierV()" not in mutant.shown)


@pytest.mark.parametrize("arch", SAMPLES)
def test_what_is_emitted_is_clean(arch: str) -> None:
    """Of each architecture a subject; with EVTGEN_FULL=1 all of Atlas A2. `make sabotage` and `make sabotage-ascend950`
    begin with all of theirs."""
    found = intact() if FULL and arch == ATLAS_A2 else findings({}, subjects(arch)[:1])
    assert found and not any(found.values())


@pytest.mark.parametrize("arch", SAMPLES)
def test_a_sample_is_flagged(arch: str) -> None:
    among = [mutant for mutant in faults(arch) if arch == ATLAS_A2 or mutant.struct == "ub"]
    for outcome in run(sample(among, SAMPLES[arch])):
        assert outcome.problem is None, outcome.mutant.name
        assert outcome.flagged, outcome.mutant.name


def test_findings_are_kept_until_what_a_program_includes_is_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: dict[str, list[Hazard]] = {"e": [{"code": "EVT123"}]}
    ran: list[Mapping[str, str]] = []

    def run_now(main: str, headers: Mapping[str, str], *given: object) -> dict[str, list[Hazard]]:
        ran.append(headers)
        return found

    monkeypatch.setenv("EVTGEN_CACHE", str(tmp_path))
    monkeypatch.setattr("sabotage.findings.run_now", run_now)
    subject = subjects(ATLAS_A2)[0]
    assert findings({}, [subject]) == found
    for path in framework():
        assert findings({path: f"{framework()[path]}\n"}, [subject]) == found
    assert {f"{subject.name}.hpp"} < ran[0].keys() < {f"{subject.name}.hpp", *framework()}
    assert len(ran) == len(ran[0])  # itself, and each header of the framework that it includes
