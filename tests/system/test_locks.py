"""Locks exclude, and end with their holder."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from threading import Event, Thread

from evtgen.system.locks import attempt, held, release


def test_one_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    inside, most = [0], [0]

    def work() -> None:
        for _ in range(200):
            with held(path):
                inside[0] += 1
                most[0] = max(most[0], inside[0])
                inside[0] -= 1

    threads = [Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1] and not path.exists()


def test_who_waits_is_told_so(tmp_path: Path) -> None:
    path, waits = tmp_path / "lock", Event()
    first = attempt(path)
    assert first is not None and attempt(path) is None
    entered = Event()

    def wait() -> None:
        with held(path, waits.set):
            entered.set()

    thread = Thread(target=wait)
    thread.start()
    assert waits.wait(10) and not entered.is_set()
    release(path, first)
    thread.join(10)
    assert entered.is_set() and not path.exists()


def test_a_lock_ends_with_its_process(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    code = f"""
from pathlib import Path
from evtgen.system.locks import attempt
print(attempt(Path({str(path)!r})), flush=True)
input()
"""
    holder = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    with holder:
        assert holder.stdout is not None and holder.stdout.readline().strip().isdigit()
        assert attempt(path) is None
        holder.kill()
        holder.wait()
    assert path.exists()
    with held(path):
        pass
    assert not path.exists()
