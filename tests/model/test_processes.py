"""Processes that evtgen starts: they end with it, in time, and with what they have started themselves."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from evtgen.model import processes

from ..support.command import environment, gone, python


def run(code: str, **options: float) -> processes.Done:
    return processes.run([sys.executable, "-c", code], environment=os.environ, **options)  # type: ignore[arg-type]


def test_output_and_status_are_kept() -> None:
    done = run("import sys; print('out'); print('err', file=sys.stderr); sys.exit(7)")
    assert done == processes.Done(7, "out\n", "err\n")


def test_a_signal_is_named() -> None:
    done = run("import os; os.kill(os.getpid(), 9)")
    assert (done.status, done.signal, done.given_up) == (137, "SIGKILL", None)


def test_a_process_that_takes_too_long_is_ended() -> None:
    done = run("import time; time.sleep(60)", timeout=0.5)
    assert (done.status, done.given_up) == (143, "not done after 0.5 seconds")


def test_a_process_that_ignores_that_is_ended_all_the_same() -> None:
    code = "import signal, time; signal.signal(15, signal.SIG_IGN); print('ignores', flush=True); time.sleep(60)"
    done = run(code, timeout=1.5)
    assert (done.status, done.stdout) == (137, "ignores\n")


def test_a_process_that_says_too_much_is_ended() -> None:
    done = run("while True: print('x' * 100000)")
    assert done.given_up == "more than 64 MB of output" and len(done.stdout) == processes.MOST_OUTPUT


def test_what_a_process_has_started_ends_with_it() -> None:
    code = "import subprocess, sys; print(subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']).pid)"
    started = time.monotonic()
    done = run(code)
    assert done.status == 0 and gone(int(done.stdout))
    assert time.monotonic() - started < 30  # the pipe that the grandchild holds open is not waited for


def test_failures_are_seen_where_the_parent_ignores_the_ends_of_its_children(tmp_path: Path) -> None:
    code = """
import os, sys
from evtgen.model import processes
processes.end_on_signals()
sys.exit(processes.run([sys.executable, "-c", "import sys; sys.exit(7)"], environment=os.environ).status)
"""
    shell = ["/bin/bash", "-c", "trap '' CHLD; exec \"$@\"", "bash", sys.executable, "-c", code]
    assert subprocess.run(shell, cwd=tmp_path, env=environment(), check=False).returncode == 7


@pytest.mark.parametrize("thread", [False, True])
def test_a_signal_while_a_process_starts_ends_it(tmp_path: Path, thread: bool) -> None:
    """It comes when the process is there, but evtgen does not know it yet."""
    code = """
import os, signal, subprocess, sys, threading, time
from evtgen.model import processes

class Popen(subprocess.Popen):
    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        print(self.pid, flush=True)
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(0.5)

def work():
    try:
        processes.run(["/bin/sleep", "60"], environment=os.environ)
    except processes.Ended as ended:
        print(ended.status)

subprocess.Popen = Popen
processes.end_on_signals()
if THREAD:
    worker = threading.Thread(target=work)
    try:
        worker.start()
        time.sleep(60)
    except processes.Ended:
        worker.join()
else:
    work()
"""
    done = python(f"THREAD = {thread}\n{code}", cwd=tmp_path)
    pid, status = done.stdout.split()
    assert (status, done.stderr) == ("143", "") and gone(int(pid))


WAITS = """
import os, sys
from concurrent.futures import ThreadPoolExecutor
from evtgen.model import processes

child = "import os, time; print(os.getpid(), file=open('PID%d' % os.getpid(), 'w'), flush=True); time.sleep(60)"

def work(_):
    return processes.run([sys.executable, "-c", child], environment=os.environ)

try:
    processes.end_on_signals()
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(work, range(4)))
except KeyboardInterrupt as ended:
    sys.exit(ended.status)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_threads_and_their_processes_end_on_a_signal(tmp_path: Path, number: signal.Signals) -> None:
    parent = subprocess.Popen([sys.executable, "-c", WAITS], cwd=tmp_path, env=environment())
    while len(pids := [path.read_text() for path in tmp_path.glob("PID*")]) < 2 or not all(pids):
        time.sleep(0.02)
    parent.send_signal(number)
    assert parent.wait(20) == 128 + number
    assert all(gone(int(pid)) for pid in pids)
    assert len(list(tmp_path.glob("PID*"))) == 2  # none is started after that
