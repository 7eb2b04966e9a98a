"""``python -m evtgen`` and the ``evtgen`` command."""

from __future__ import annotations


def main() -> None:
    """Run the command line; exits with its status."""
    from .cli import app

    app(prog_name="evtgen")


if __name__ == "__main__":
    main()
