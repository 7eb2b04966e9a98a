"""Work that is spread over processes and over a cluster of Dask: the same results, whatever happens to a worker."""

from __future__ import annotations

import gc
import os
import pickle
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

import evtgen as evt
from evtgen.diagnostics.diagnostic import EvtgenError
from evtgen.frontend.load import load
from evtgen.measure.clock import Job, timed
from evtgen.model import footprint, toolchain
from evtgen.model.workers import cores, each, go_on, spread
from evtgen.pipeline.partition.specs import specs
from evtgen.planner.plan import lower
from evtgen.verify import session

from ..support import optional
from ..support.command import environment, gone
from ..support.cpp import USUAL
from ..support.said import refused

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    """The address of a scheduler with two workers on this machine."""
    distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
    ) as cluster:
        yield cluster.scheduler_address


def square(number: int) -> tuple[int, int, int]:
    return number**2, os.getpid(), cores()


def dies_once(job: tuple[str, int]) -> int:
    """The first worker that comes here is killed while it works."""
    directory, number = job
    try:
        (Path(directory) / "killed").mkdir()
    except FileExistsError:
        return number**2
    os.kill(os.getpid(), signal.SIGKILL)
    return -1


def fails(number: int) -> int:
    if number == 3:
        evt.verify([], jobs=0)
    return number


def test_processes_do_the_jobs_in_order_and_tell_of_each() -> None:
    told: list[int] = []
    with spread(None, 2, None) as pool:
        found = each(square, range(6), pool, lambda job, made: told.append(job))
        assert [one for one, _, _ in found] == [0, 1, 4, 9, 16, 25] and sorted(told) == [*range(6)]
        # A job has one core, and its errors come back as they are.
        assert {core for _, _, core in found} == {1} and os.getpid() not in {process for _, process, _ in found}
        with refused("EVT079"):
            each(fails, range(5), pool)
    assert cores() == os.cpu_count()


def test_what_cannot_be_pickled_is_done_here() -> None:
    unbound = [lambda: 1, 2]
    with ThreadPoolExecutor(1) as pool:
        assert each(repr, unbound, pool) == [repr(one) for one in unbound]
    with spread(None, 1, None) as two:
        assert each(type, unbound, two) == [type(unbound[0]), int]


def test_a_process_that_is_killed_is_said(tmp_path: Path) -> None:
    with refused("EVT298"), spread(None, 1, None) as pool:
        each(dies_once, [(str(tmp_path), 1)], pool)


@pytest.mark.parametrize("waits", [False, True])
def test_what_threads_have_begun_ends_where_one_fails(waits: bool) -> None:
    """Jobs that wait for jobs of an executor, as searches do, and those that work by themselves."""
    begun, hung, other = list[int](), Event(), Event()

    def work(job: int) -> None:
        if job == 0:
            other.wait(20)
            raise ZeroDivisionError
        begun.append(job)
        other.set()
        if waits:
            each(hung.wait, [60], pool)
            begun.append(-1)  # it waited to the end
        while not hung.wait(0.01):
            go_on()

    with ThreadPoolExecutor(1) as pool:
        with pytest.raises(ZeroDivisionError):
            each(work, range(9), None, threads=2)
        # The executor is another's: what it has begun is its own.
        hung.set()
    # The thread of the one that failed may have begun another.
    assert begun in ([1], [1, 2])


INTERRUPTED = """
from pathlib import Path
from evtgen import Acc, epilogue, half
Path("loaded").touch()

@epilogue
def twice(acc: Acc[half]):
    return {"D": acc * 2.0}

@epilogue
def thrice(acc: Acc[half]):
    return {"D": acc * 3.0}
"""


@pytest.mark.parametrize(("where", "until"), [("jobs", "workers start"), ("jobs", "they compile"), ("dask", "it runs")])
def test_ctrl_c_ends_a_search(where: str, until: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """It reaches all processes of a terminal."""
    given = ["--jobs", "2"] if where == "jobs" else ["--dask", request.getfixturevalue("scheduler")]
    (tmp_path / "spec.py").write_text(INTERRUPTED)
    command = [sys.executable, "-m", "evtgen", "tune", "spec.py", "--shape", "16x4096x512", "--store", "store", *given]
    evtgen = subprocess.Popen(
        command, cwd=tmp_path, env=environment(EVTGEN_CACHE=str(tmp_path / "cache")), start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip

    def children() -> list[int]:
        found = list[int]()
        for path in Path(f"/proc/{evtgen.pid}/task").glob("*/children"):
            with suppress(OSError):  # of a thread that has ended
                found += map(int, path.read_text().split())
        return found

    ready: dict[str, Callable[[], bool]] = {
        "workers start": lambda: len(children()) > 1,
        "they compile": lambda: any((tmp_path / "cache").glob("*/*")),
        "it runs": (tmp_path / "loaded").exists,
    }
    try:
        while not ready[until]():
            assert evtgen.poll() is None
            time.sleep(0.02)
        time.sleep(1.0 if where == "dask" else 0.0)
        started = children()
        os.killpg(evtgen.pid, signal.SIGINT)
        out, err = evtgen.communicate(timeout=60)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(evtgen.pid, signal.SIGKILL)
    assert (evtgen.returncode, out, err) == (130, "", "interrupted\n")
    assert all(map(gone, started)) and not (tmp_path / "store").exists()


def test_ctrl_c_ends_workers_within_their_jobs(tmp_path: Path) -> None:
    """What ends a job there is no result of it: the worker would go on, and its signals are used up."""
    program = tmp_path / "program.py"
    program.write_text(
        "import time\nfrom evtgen.model.processes import end_on_signals\n"
        "from evtgen.model import workers\nfrom evtgen.model.workers import each, spread\n"
        "def job(number):\n    print(number, flush=True)\n    time.sleep(3600)\n"
        "if __name__ == '__main__':\n"
        "    end_on_signals()\n    workers._GRACE = 3600.0\n"
        "    with spread(None, 2, None) as pool:\n"
        "        each(job, range(8), pool)\n"
    )
    running = subprocess.Popen(
        [sys.executable, program], env=environment(PYTHONPATH=str(ROOT)), start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    assert running.stdout is not None
    try:
        assert {running.stdout.readline() for _ in range(2)} == {"0\n", "1\n"}
        os.killpg(running.pid, signal.SIGINT)
        running.communicate(timeout=60)  # to the end of what the workers may write, too
    finally:
        with suppress(ProcessLookupError):
            os.killpg(running.pid, signal.SIGKILL)


def test_one_executor_is_enough() -> None:
    with refused("EVT079"), spread(None, 2, "127.0.0.1:1"):
        pass


def test_processes_end_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    program = (
        "import os, signal\nfrom tests.model.test_workers import square\n"
        "from evtgen.model.workers import each, spread\n"
        "if __name__ == '__main__':\n"
        "    with spread(None, 1, None) as pool:\n"
        "        print(each(square, [1], pool)[0][1], flush=True)\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    path = tmp_path / "program.py"
    path.write_text(program)
    # Its output ends when the worker has, too.
    done = subprocess.run(
        [sys.executable, path],
        check=False,
        stdout=subprocess.PIPE,
        timeout=60,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == -signal.SIGKILL and int(done.stdout)


def test_a_cluster_loses_nothing(scheduler: str, tmp_path: Path) -> None:
    with spread(None, None, scheduler) as cluster:
        jobs = [(str(tmp_path), number) for number in range(8)]
        assert each(dies_once, jobs, cluster) == [number**2 for number in range(8)]
        assert (tmp_path / "killed").is_dir(), "a worker was killed"
        with pytest.raises(EvtgenError, match="EVT079"):
            each(fails, range(5), cluster)


def test_without_a_scheduler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with refused("EVT297", help="evtgen[dask]"), spread(None, None, "127.0.0.1:1"):
        pass


@pytest.mark.parametrize("address", ["", "tcp://127.0.0.1", "127.0.0.1:port", "tpc://127.0.0.1:8786"])
def test_what_is_no_address_is_said(address: str) -> None:
    pytest.importorskip("distributed", reason="dask.distributed is not installed")
    with refused("EVT297", f"{address!r} is no address", "tcp://HOST:8786"), spread(None, None, address):
        pass


@pytest.mark.parametrize("there", ["nothing", "another"])
def test_what_is_no_scheduler_is_said_soon(there: str, capfd: pytest.CaptureFixture[str]) -> None:
    """As that of the page that a scheduler has, whose server does not speak as a scheduler does."""
    pytest.importorskip("distributed", reason="dask.distributed is not installed")
    before = time.monotonic()
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        if there == "nothing":
            server.close()
        Thread(target=_answers, args=(server,), daemon=True).start()
        address = f"127.0.0.1:{port}"
        with refused("EVT297", address, "start one" if there == "nothing" else "its page"), spread(None, None, address):
            pass
    gc.collect()
    # A client that ended late would say so.
    assert time.monotonic() - before < 25 and "Traceback" not in capfd.readouterr().err


def _answers(server: socket.socket) -> None:
    with suppress(OSError):
        while True:
            asked, _ = server.accept()
            with asked:
                asked.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")


def plain(results: Any) -> Any:
    """A result as JSON without its seconds."""
    if isinstance(results, dict):
        return {key: plain(one) for key, one in results.items() if key != "seconds"}
    return [plain(one) for one in results] if isinstance(results, list) else results


def test_the_plans_of_a_file_are_jobs_of_other_processes() -> None:
    """Also those of phases, whose parts have epilogues of their own."""
    plans = [lower(one) for one in load([ROOT / "examples" / "gallery" / "rows.py"])]
    assert any(plan.parts for plan in plans) and all(plan.epilogue.function is not None for plan in plans)
    for plan in plans:
        assert pickle.loads(pickle.dumps(plan)) == plan


@pytest.mark.cxx
@pytest.mark.parametrize("where", ["jobs", "dask"])
def test_results_do_not_depend_on_who_works(where: str, request: pytest.FixtureRequest) -> None:
    given: dict[str, Any] = {"jobs": 2} if where == "jobs" else {"dask": request.getfixturevalue("scheduler")}
    some = load([ROOT / "examples" / "33_cast_evt.py"])
    here, there = (evt.verify(some, shapes=[(16, 64, 32)], **more) for more in ({}, given))
    assert plain([one.to_json() for one in here]) == plain([one.to_json() for one in there])
    job = Job((some[0],), (16, 64, 32))
    with spread(None, given.get("jobs"), given.get("dask")) as pool:
        assert each(timed, [job], pool) == [timed(job)]


@pytest.mark.parametrize("where", ["jobs", "dask"])
def test_a_partition_does_not_depend_on_who_works(where: str, request: pytest.FixtureRequest) -> None:
    torch = optional.torch()
    given: dict[str, Any] = {"jobs": 2} if where == "jobs" else {"dask": request.getfixturevalue("scheduler")}
    model = torch.nn.Sequential(torch.nn.Linear(256, 1024), torch.nn.GELU(), torch.nn.Linear(1024, 1024)).half()
    program = torch.export.export(model, (torch.zeros(128, 256, dtype=torch.float16),))
    here, there = (evt.partition(program, **more) for more in ({}, given))
    assert specs(here) == specs(there) and here.to_json() == there.to_json()
    assert all("l1=" in text for text in specs(there).values()) and len(there.kernels) == 2


def test_kernels_of_a_model_are_jobs() -> None:
    """Each graph at each size once: the blocks of two layers that are alike are found together."""
    torch = optional.torch()
    model = torch.nn.Sequential(*(torch.nn.Linear(256, 256, bias=False, dtype=torch.float16) for _ in range(2)))
    program = torch.export.export(model, (torch.zeros(8, 256, dtype=torch.float16),))
    with Noting() as pool:
        made = evt.partition(program, executor=pool)
    assert len(made.kernels) == 2 and len(pool.jobs) == 1


def test_evtgen_goes_to_a_worker_by_its_name() -> None:
    assert pickle.loads(pickle.dumps(evt)) is evt


class Noting(ThreadPoolExecutor):
    """Threads that note the jobs that they are given."""

    def __init__(self) -> None:
        super().__init__(2)
        self.jobs: list[Any] = []

    def submit(self, function: Any, /, *arguments: Any, **more: Any) -> Any:
        self.jobs.append(arguments[-1])
        return super().submit(function, *arguments, **more)


@pytest.mark.cxx
def test_one_epilogue_is_many_jobs() -> None:
    (first, *_) = load([ROOT / "examples" / "33_cast_evt.py"])
    given: dict[str, Any] = {"shapes": [(16, 64, 32), (3, 7, 5)], "schedules": 1}
    pool, counting = Noting(), Noting()
    with pool, counting:
        here, there = evt.verify(first, **given), evt.verify(first, executor=pool, **given)
        assert plain([one.to_json() for one in here]) == plain([one.to_json() for one in there])
        # Its program, its headers, and each kind of data at each shape.
        sizes = [len(job) for job in pool.jobs if isinstance(job, list)]
        assert sizes == [1] * len(here) and len(here) == 4 and len(pool.jobs) == 2 + 4
        # Lines count that any run reaches: all runs of a program go to one worker.
        counted = [
            evt.verify(first, coverage=True, cxx=USUAL, shapes=given["shapes"], executor=executor)
            for executor in (None, counting)
        ]
        assert [len(job) for job in counting.jobs if isinstance(job, list)] == [4]
        assert [one.lines for one in counted[0]] == [one.lines for one in counted[1]]


@pytest.mark.cxx
def test_a_header_that_is_refused_is_compiled_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (first, *_) = load([ROOT / "examples" / "33_cast_evt.py"])
    for name, text in evt.render(first).items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + ("no C++\n" if name == f"{first.name}.hpp" else ""))
    compiled: list[str] = []
    compile_program = toolchain.compile_program

    def noted(compiler: Any, source: str, *arguments: Any, **more: Any) -> Any:
        compiled.append(source)
        return compile_program(compiler, source, *arguments, **more)

    monkeypatch.setattr(toolchain, "compile_program", noted)
    given: dict[str, Any] = {"shapes": [(16, 64, 32), (3, 7, 5)], "headers": tmp_path}
    here = evt.verify(first, **given)
    assert len(here) == 4 and len(compiled) == 1 and not any(one.compiled for one in here)
    with Noting() as pool:
        there = evt.verify(first, executor=pool, **given)
        assert [len(job) for job in pool.jobs if isinstance(job, list)] == [4]
    assert len(compiled) == 2 and plain([one.to_json() for one in here]) == plain([one.to_json() for one in there])


def test_memory_is_looked_at_before_anything_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*arguments: Any, **more: Any) -> Any:
        raise AssertionError("compiled")

    monkeypatch.setattr(footprint, "free_memory", lambda: 1 << 20)
    monkeypatch.setattr(session, "build_programs", never)
    monkeypatch.setattr(session, "examine", never)
    with Noting() as pool, refused("EVT067"):
        evt.verify(load([ROOT / "examples" / "33_cast_evt.py"]), shapes=[(512, 512, 512)], executor=pool)
