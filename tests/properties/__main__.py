"""``make fuzz``: every target of the fuzzer, one after the other.

``FUZZ_SECONDS`` is the time of each, a minute by default, and ``FUZZ_SEED`` where the inputs start: another place each
time by default. The exit status is 1 if a target fails.
"""

from __future__ import annotations

import os
import sys
import time

from ..support.fuzzing import TARGETS, target


def main() -> int:
    """Run the targets, or those that the command line names."""
    seconds = float(os.environ.get("FUZZ_SECONDS", "60"))
    seed = int(os.environ.get("FUZZ_SEED", str(time.time_ns() % 2**32)))
    failed = 0
    for name in sys.argv[1:] or TARGETS:
        try:
            print(f"{name}: {target(name)(seconds, seed):,} inputs in {seconds:g} s from seed {seed}", flush=True)
        except AssertionError as error:
            failed += 1
            print(f"{name}: FAILED from seed {seed}: {error}", flush=True)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
