"""``python -m evtgen`` and the ``evtgen`` command."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line; exits with its status. Ctrl-C may come at any moment, even while modules are loaded."""
    try:
        from .cli.streams import claim, finish

        claim()
        from .cli.app import main as run

        sys.exit(finish(run()))
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    main()
