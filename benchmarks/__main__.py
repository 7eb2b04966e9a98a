"""Runs every benchmark, or those that are named: ``python -m benchmarks [BENCHMARK ...]``."""

from __future__ import annotations

import argparse
from importlib import import_module
from types import ModuleType

NAMES = (
    "cli", "generate", "compile", "calls", "model", "cube", "epilogues", "gallery", "evg", "buffers", "tune", "preload",
    "splitk", "widened", "rounding", "meetings", "phases", "assumed", "deterministic", "report", "extension",
    "models",
)  # fmt: skip
"""The benchmarks in their order: NAME is the module ``bench_NAME``, whose ``run`` yields lines."""


def module(name: str) -> ModuleType:
    """The module of a benchmark."""
    return import_module(f".bench_{name}", __package__)


def summary(name: str) -> str:
    """What a benchmark measures, in one line."""
    return (module(name).__doc__ or "").splitlines()[0]


def arguments() -> list[str]:
    """The benchmarks that the command line names; all if it names none."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Run every benchmark, or those that are named.",
        epilog="\n".join(["benchmarks:", *(f"  {name:13}  {summary(name)}" for name in NAMES),
                          "", "Exit status: 0 all have run, 1 one has failed, 2 wrong arguments."]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("names", nargs="*", metavar="BENCHMARK", help="one of those below")
    names: list[str] = parser.parse_args().names
    if unknown := [name for name in names if name not in NAMES]:
        parser.error(f"no such benchmark: {', '.join(unknown)} (choose from {', '.join(NAMES)})")
    return names or list(NAMES)


def main() -> None:
    """Run them and print what they find, line by line."""
    for name in arguments():
        print(f"\n{name}: {summary(name)}", flush=True)
        for line in module(name).run():
            print(f"  {line}", flush=True)


if __name__ == "__main__":
    main()
