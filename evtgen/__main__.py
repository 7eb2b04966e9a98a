"""``python -m evtgen`` and the ``evtgen`` command."""

from __future__ import annotations

import sys
from contextlib import suppress


def main() -> None:
    """Run the command line; exits with its status. Signals may come at any moment, even while modules are loaded."""
    try:
        from .model.processes import end_on_signals

        end_on_signals()
        from .cli.streams import claim, finish

        claim()
        from .cli.app import main as run

        sys.exit(finish(run()))
    except KeyboardInterrupt as signal:
        with suppress(OSError):
            print("interrupted", file=sys.stderr)
        sys.exit(getattr(signal, "status", 130))


if __name__ == "__main__":
    main()
