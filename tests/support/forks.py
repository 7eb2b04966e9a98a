"""A process that has imported evtgen and runs each command in a copy of itself: with its own arguments, directory and
environment, and without the time that a start takes. ``command.py`` starts it and sends it commands."""

from __future__ import annotations

import argparse
import atexit
import gc
import json
import os
import pkgutil
import socket
import sys
from importlib import import_module


def become(words: str, streams: list[int]) -> None:
    """Make this copy what ``python -m evtgen`` would be, with these stdout and stderr."""
    arguments, directory, environment = json.loads(words)
    for number, stream in enumerate(streams, 1):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(directory)
    os.environ.clear()
    os.environ.update(environment)
    sys.path[0] = directory
    sys.argv[1:] = arguments


def serve(commands: socket.socket) -> None:
    """Run commands until there will be no more; a copy returns too, to run its own."""
    while True:
        words, streams, *_ = socket.recv_fds(commands, 1 << 20, 2)
        if not words:
            sys.exit()
        copy = os.fork()
        if copy == 0:
            commands.close()
            return become(words.decode(), streams)
        for stream in streams:
            os.close(stream)
        status = os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1])
        commands.send(str(status).encode())


def main() -> None:
    """Serve the commands that come over an open socket, whose descriptor the command line names."""
    epilog = "Exit status: 0 the socket was closed, 1 it failed, 2 wrong arguments."
    parser = argparse.ArgumentParser(prog="python -m tests.support.forks", description=main.__doc__, epilog=epilog)
    parser.add_argument("descriptor", type=int, help="of the socket")
    descriptor = parser.parse_args().descriptor
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # a process of several threads cannot be copied
    import evtgen

    for module in pkgutil.walk_packages(evtgen.__path__, "evtgen."):
        import_module(module.name)
    from evtgen.emit.render import FRAMEWORK, framework_files

    framework_files(FRAMEWORK)  # as every build does
    gc.freeze()  # or each copy looks through all of it, and copies it
    serve(socket.socket(fileno=descriptor))
    try:
        import_module("evtgen.__main__").main()
    except SystemExit as end:
        # To take all modules apart again is more than what most commands do.
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(int(end.code or 0))


if __name__ == "__main__":
    main()
