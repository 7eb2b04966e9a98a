"""Work that is spread over threads of this process, over other processes, or over a cluster of Dask.

A job is plain data for a function of a module, so that any ``concurrent.futures.Executor`` can run it. What cannot be
pickled, such as an operator that a spec declares, is done in this process. Results come in the order of the jobs.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import pickle
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import (
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
)
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from multiprocessing import resource_tracker
from multiprocessing.context import SpawnContext, SpawnProcess
from queue import Empty, SimpleQueue
from threading import Event, Thread
from types import FrameType
from typing import Any, TypeVar

from ..diagnostics.files import USAGE
from ..diagnostics.machine import NO_CLUSTER, WORKER_LOST
from ..version import __version__
from .processes import Ended, end_on_signals

Job = TypeVar("Job")
Made = TypeVar("Made")

_ALONE = ContextVar("_ALONE", default=False)
"""Whether this is a job of many, which has one core."""

_LEFT: ContextVar[tuple[Event, ...]] = ContextVar("_LEFT", default=())
"""Of a job in a thread: whether anyone still waits for it, and for the jobs that it is a part of."""

_OFTEN = 0.2
"""Seconds after which such a job looks."""

_REACHED = 10.0
"""Seconds in which a scheduler of Dask answers."""

_ENDING = (signal.SIGINT, signal.SIGTERM)

_GRACE = 5.0
"""Seconds in which a worker that is to end may clean up."""


def cores() -> int:
    """How many threads work may have here."""
    return 1 if _ALONE.get() else os.cpu_count() or 1


@contextmanager
def spread(executor: Executor | None, jobs: int | None, dask: str | None) -> Iterator[Executor | None]:
    """The executor that options ask for: a given one; so many processes; or the workers of a scheduler of Dask, which
    does what a lost worker had again. None: this process alone.

    Raises EvtgenError: EVT079 for more than one of them, EVT297 without such a cluster, EVT298 for a worker that died.
    """
    if sum(one is not None for one in (executor, jobs, dask)) > 1:
        raise USAGE.here("executors")
    try:
        if dask is not None:
            with _cluster(dask) as cluster:
                yield cluster
        elif jobs is not None:
            with _processes(jobs) as pool:
                yield pool
        else:
            yield executor
    except BrokenExecutor as error:
        raise WORKER_LOST.refusal(error=error) from error


def each(
    function: Callable[[Job], Made],
    jobs: Iterable[Job],
    executor: Executor | None,
    done: Callable[[Job, Made], None] = lambda job, made: None,
    threads: int | None = None,
) -> list[Made]:
    """``function`` of each job; ``done`` is told of each as it comes. Without an executor so many threads run them.

    Where that is interrupted, or a job fails, the others are left. Those that threads of this process have begun end at
    :func:`go_on`, or where they wait for jobs of their own.
    """
    work = list(jobs)
    if executor is None:
        left = Event()

        def within(job: Job) -> Made:
            _LEFT.set((*around, left))
            return function(job)

        around = _LEFT.get()
        with ThreadPoolExecutor(threads or cores()) as pool:
            try:
                return _collected({pool.submit(within, job): place for place, job in enumerate(work)}, work, done)
            finally:
                left.set()
                pool.shutdown(wait=False, cancel_futures=True)
    go_on()
    away = [place for place, job in enumerate(work) if is_plain(job)]
    futures = {executor.submit(_alone, function, work[place]): place for place in away}
    here: dict[Future[Made], int] = {}
    for place in sorted(set(range(len(work))) - set(away)):
        future: Future[Made] = Future()
        here[future] = place
        future.set_result(function(work[place]))
    return _collected(here | futures, work, done)


def _collected(futures: dict[Future[Made], int], work: list[Job], done: Callable[[Job, Made], None]) -> list[Made]:
    made: dict[int, Made] = {}
    ended: SimpleQueue[Future[Made]] = SimpleQueue()
    try:
        for future in futures:
            future.add_done_callback(ended.put)
        while len(made) < len(work):
            go_on()
            try:
                future = ended.get(timeout=_OFTEN if _LEFT.get() else None)
            except Empty:
                continue
            place = futures[future]
            made[place] = future.result()
            done(work[place], made[place])
    finally:
        for future in futures:
            future.cancel()
    return [made[place] for place in range(len(work))]


def go_on() -> None:
    """For a job that takes long by itself. Raises CancelledError if nobody waits for it any more."""
    if any(left.is_set() for left in _LEFT.get()):
        raise CancelledError


def is_plain(job: Any) -> bool:
    """Whether another process can have it."""
    try:
        pickle.dumps(job)
    except Exception:
        return False
    return True


def _alone(function: Callable[[Job], Made], job: Job) -> Made:
    token = _ALONE.set(True)
    try:
        return function(job)
    except Ended as ended:
        # A worker would keep it as the result of the job, and wait for the next.
        os._exit(ended.status)
    finally:
        _ALONE.reset(token)


class _Process(SpawnProcess):
    """One to which no signal comes before :func:`_begin` has made it end quietly. Ctrl-C reaches it as well."""

    def start(self) -> None:
        resource_tracker.ensure_running()  # which would let signals through
        before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
        try:
            super().start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _Context(SpawnContext):
    Process = _Process


@contextmanager
def _processes(count: int) -> Iterator[Executor]:
    """Processes of this machine, which end with this one."""
    before = set(multiprocessing.active_children())
    with ProcessPoolExecutor(count, _Context(), _begin) as pool:
        try:
            yield pool
        except BaseException:
            begun = set(multiprocessing.active_children()) - before
            for process in begun:
                process.terminate()
            until = time.monotonic() + _GRACE
            for process in begun:
                process.join(max(0.0, until - time.monotonic()))
                process.kill()
            raise


def _begin() -> None:
    """In a worker: what it has started ends with it, and it ends with its parent."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    for number in _ENDING:  # a parent that ends already ignores them
        signal.signal(number, signal.SIG_DFL)
    end_on_signals()
    end = signal.getsignal(signal.SIGTERM)
    parent = multiprocessing.parent_process()
    assert callable(end) and parent is not None

    def quietly(number: int, frame: FrameType | None) -> None:
        # Also what concurrent.futures logs, whose handler has a stream of its own.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        end(number, frame)

    def watch() -> None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(_GRACE)
        os._exit(1)

    Thread(target=watch, daemon=True).start()
    for number in _ENDING:
        signal.signal(number, quietly)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)


@contextmanager
def _cluster(address: str) -> Iterator[Executor]:
    """The workers of a scheduler of Dask."""
    try:
        distributed = import_module("distributed")
    except ImportError:
        raise NO_CLUSTER.refusal("dask") from None
    try:
        # A client that has reached nobody takes half a minute to end.
        with ThreadPoolExecutor(1) as thread:
            thread.submit(lambda: asyncio.run(_reach(distributed, address))).result()
        client = distributed.Client(address, set_as_default=False, timeout=_REACHED)
    except OSError as error:
        raise NO_CLUSTER.refusal("scheduler", address=address, error=error) from error
    except ValueError as error:
        raise NO_CLUSTER.refusal("address", address=address, error=error) from error
    except Exception as error:  # what is no scheduler may say anything
        raise NO_CLUSTER.refusal("another", address=address) from error
    with client:
        others = {name: release for name, release in client.run(_release).items() if release != __version__}
        for name, release in others.items():
            raise NO_CLUSTER.refusal("release", worker=name, other=release, own=__version__)
        yield client.get_executor(pure=False)


async def _reach(distributed: Any, address: str) -> None:
    """Greet a scheduler, in a loop of its own: one of a notebook may run in this thread."""
    given = distributed.Security().get_connection_args("client")
    greeted = await distributed.core.connect(address, timeout=_REACHED, **given)
    await greeted.close()


def _release() -> str:
    return __version__
