"""Locks exclude, and end with their holder."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from threading import Event, Thread

from evtgen.system.locks import held


def test_one_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    inside, most = [0], [0]

    def work() -> None:
        for _ in range(50):
            with held(path):
                inside[0] += 1
                time.sleep(0.0001)
                most[0] = max(most[0], inside[0])
                inside[0] -= 1

    threads = [Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1]


def test_who_waits_is_told_so_and_a_lock_ends_with_its_process(tmp_path: Path) -> None:
    path, waits, entered = tmp_path / "lock", Event(), Event()
    code = f"""
from pathlib import Path
from evtgen.system.locks import held
with held(Path({str(path)!r})):
    print(flush=True)
    input()
"""

    def wait() -> None:
        with held(path, waits.set):
            entered.set()

    holder = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        thread = Thread(target=wait)
        thread.start()
        assert waits.wait(10) and not entered.is_set()
        holder.kill()
        holder.wait()
    thread.join(10)
    assert entered.is_set()
