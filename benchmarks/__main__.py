"""Runs every benchmark, or those that are named: ``python -m benchmarks [BENCHMARK ...]``."""

from __future__ import annotations

import argparse

from . import (
    bench_buffers,
    bench_cli,
    bench_compile,
    bench_cube,
    bench_deterministic,
    bench_epilogues,
    bench_evg,
    bench_gallery,
    bench_generate,
    bench_meetings,
    bench_model,
    bench_phases,
    bench_preload,
    bench_report,
    bench_rounding,
    bench_splitk,
)

ALL = {
    "cli": bench_cli,
    "generate": bench_generate,
    "compile": bench_compile,
    "model": bench_model,
    "cube": bench_cube,
    "epilogues": bench_epilogues,
    "gallery": bench_gallery,
    "evg": bench_evg,
    "buffers": bench_buffers,
    "preload": bench_preload,
    "splitk": bench_splitk,
    "rounding": bench_rounding,
    "meetings": bench_meetings,
    "phases": bench_phases,
    "deterministic": bench_deterministic,
    "report": bench_report,
}


def summary(name: str) -> str:
    """What a benchmark measures, in one line."""
    return (ALL[name].__doc__ or "").splitlines()[0]


def arguments() -> list[str]:
    """The benchmarks that the command line names; all if it names none."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Run every benchmark, or those that are named.",
        epilog="\n".join(["benchmarks:", *(f"  {name:9}  {summary(name)}" for name in ALL),
                          "", "Exit status: 0 all have run, 1 one has failed, 2 wrong arguments."]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("names", nargs="*", metavar="BENCHMARK", help="one of those below")
    names: list[str] = parser.parse_args().names
    for name in names:
        if name not in ALL:
            parser.error(f"no such benchmark: {name} (choose from {', '.join(ALL)})")
    return names or list(ALL)


def main() -> None:
    """Run them and print what they find, line by line."""
    for name in arguments():
        print(f"\n{name}: {summary(name)}", flush=True)
        for line in ALL[name].run():
            print(f"  {line}", flush=True)


if __name__ == "__main__":
    main()
