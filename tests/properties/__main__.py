"""``make fuzz``: every target of the fuzzer, one after the other.

``FUZZ_SECONDS`` is the time of each, a minute by default, and ``FUZZ_SEED`` where the inputs start: another place each
time by default. The exit status is 1 if a target fails.
"""

from __future__ import annotations

import argparse
import os
import sys
import time

from ..support.fuzzing import TARGETS, target


def arguments() -> list[str]:
    """The targets that the command line names; all if it names none."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.properties",
        description="Run every target of the fuzzer, or those that are named.",
        epilog="FUZZ_SECONDS is the time of each (60), FUZZ_SEED where the inputs start (each time another place). "
        "Exit status: 0 none has failed, 1 one has, 2 wrong arguments.",
    )
    parser.add_argument("names", nargs="*", metavar="TARGET", help=", ".join(TARGETS))
    names: list[str] = parser.parse_args().names
    for name in names:
        if name not in TARGETS:
            parser.error(f"no such target: {name} (choose from {', '.join(TARGETS)})")
    return names or TARGETS


def main() -> int:
    """Run them; returns the exit status."""
    names = arguments()
    seconds = float(os.environ.get("FUZZ_SECONDS", "60"))
    seed = int(os.environ.get("FUZZ_SEED", str(time.time_ns() % 2**32)))
    failed = 0
    for name in names:
        try:
            print(f"{name}: {target(name)(seconds, seed):,} inputs in {seconds:g} s from seed {seed}", flush=True)
        except AssertionError as error:
            failed += 1
            print(f"{name}: FAILED from seed {seed}: {error}", flush=True)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
