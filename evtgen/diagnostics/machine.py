"""Codes of the machine that evtgen runs on: its compiler, its cache, the checkouts and headers that the user names."""

from __future__ import annotations

from .diagnostic import WRONG_ENVIRONMENT, Severity
from .table import declare

NO_COMPILER = declare(
    "EVT090",
    "There is no C++ compiler",
    """Verification compiles the emitted headers. Install g++ 11 or clang++ 14 or later, or name one with `--cxx`.""",
    status=WRONG_ENVIRONMENT,
    says={
        "none": (
            "no C++ compiler: {tried} {be} not there",
            "install one, on Debian and Ubuntu with: apt-get install {package}\nor name another with --cxx",
        ),
        "unfit": ("no C++ compiler: {unfit}", None),
        "command": ("cannot run {command}: {strerror}", "on Debian and Ubuntu: apt-get install g++ binutils"),
    },
)
NO_TORCH = declare(
    "EVT266",
    "PyTorch is not installed",
    """`evt.partition` takes models of PyTorch. Nothing else of evtgen needs it.""",
    status=WRONG_ENVIRONMENT,
    says={
        "": ("models of PyTorch need torch, which is not installed", "install it: pip install 'evtgen[torch]'"),
    },
)
OLD_COMPILER = declare(
    "EVT091",
    "The compiler is too old for the CPU model",
    """The CPU model is C++17. Install g++ 11 or clang++ 14 or later, or name one with `--cxx`.""",
    status=WRONG_ENVIRONMENT,
    says={
        "": (
            "{version} cannot compile the CPU model:{words}",
            (
                "use g++ 11 or clang++ 14, or later; versions live side by side: apt-get install g++-12, then "
                "--cxx g++-12"
            ),
        ),
    },
)
NO_CACHE = declare(
    "EVT092",
    "The cache cannot be written",
    """Programs are built in `EVTGEN_CACHE`, else in `evtgen` below `XDG_CACHE_HOME`, `~/.cache` or `~/Library/Caches`.
    Set `EVTGEN_CACHE` to a writable directory.""",
    status=WRONG_ENVIRONMENT,
    says={
        "unwritable": (
            "cannot write the cache: {short}: {strerror}",
            "set EVTGEN_CACHE to a directory that can be written",
        ),
        "no home": (
            "there is no home directory to hold the cache",
            "set EVTGEN_CACHE to a directory that can be written",
        ),
        "relative": (
            "the cache {short} is relative to nowhere: {error}",
            "set EVTGEN_CACHE to a directory that can be written",
        ),
    },
)
NO_CHECKOUT = declare(
    "EVT093",
    "Not a Catlass checkout",
    """`--catlass` takes a Catlass checkout or the include directory in it: there must be a `catlass/catlass.hpp`.""",
    says={
        "unreadable": ("{directory!r:.200} cannot be read: {strerror}", None),
        "missing": ("{directory} does not exist", None),
        "no directory": ("{directory} is not a directory", None),
        "another": ("{directory} is no Catlass checkout: it has no include/catlass/catlass.hpp", None),
    },
)
NO_ARCH = declare(
    "EVT155",
    "This Catlass release cannot build for the architecture",
    """What evtgen emits for Ascend950 copies between global memory and UB, and multiplies, with templates that Catlass
    has for that architecture from v1.6.0 on: v1.5 has `Arch::Ascend950` without those copies, and older releases do
    not have it. `build` needs no checkout, and `verify` without `--catlass` takes the stand-in.""",
    says={
        "": ("Catlass {release} in {root} cannot build for {arch}", "give a checkout of {since} or later"),
    },
)
NO_OPERAND = declare(
    "EVT181",
    "This Catlass release cannot read the operands",
    """Catlass v1.0 reads a `zN` or `nZ` matrix as B alone. It also lacks the copies that transpose float32 on the way
    to the cube (AscendC's `LoadData` transposes elements of 16 bits only), so there a float32 A lies by rows and a
    float32 B by columns. v1.3.1 and later have both, and the stand-in too.""",
    says={
        "": (
            "Catlass {release} in {root} cannot read {upper} of {T} as {layout}",
            "give a checkout of v1.3.1 or later, or write another gemm.layout_{name}",
        ),
    },
)
NO_ASCENDC = declare(
    "EVT100",
    "Not an asc-devkit checkout",
    """`--ascendc` takes a checkout of asc-devkit, which holds AscendC's own headers: there must be an
    `include/basic_api/kernel_basic_intf.h` and an `impl/basic_api/dav_c220`; for Ascend950 also an
    `impl/basic_api/dav_3510`.""",
    says={
        "no implementations": ("{name} has no {implementations}, for NPU architecture {npu}", None),
        "unreadable": ("{directory!r:.200} cannot be read: {strerror}", None),
        "missing": ("{directory} does not exist", None),
        "no directory": ("{directory} is not a directory", None),
        "another": ("{directory} is no asc-devkit checkout: it has no {missing}", None),
    },
)
ASCENDC_ARCH = declare(
    "EVT071",
    "AscendC's own headers run for Atlas A2/A3 alone",
    """The CPU model has the intrinsics of NPU architecture 2201. A program for another architecture runs without
    `--ascendc`. `verify` compiles epilogues for Ascend950 with AscendC's own headers, and runs them with the
    model's.""",
    says={
        "": ("the model has no intrinsics of NPU architecture {npu}", "leave --ascendc out"),
    },
)
NO_GCOV = declare(
    "EVT262",
    "The compiler's gcov is missing",
    """`verify --coverage` counts with `--coverage` of the compiler, and reads the counters with the `gcov` of g++ or
    the `llvm-cov` of clang++. It must be of the compiler's version. Install it, or leave `--coverage` out.""",
    status=WRONG_ENVIRONMENT,
    says={
        "none": (
            "--coverage: no {tool} that belongs to {compiler}",
            "install it, on Debian and Ubuntu with: apt-get install {package}\nor leave --coverage out",
        ),
        "unlinked": (
            "--coverage: {compiler} has no library for programs that count",
            "install it, on Debian and Ubuntu with: apt-get install {package}\n"
            "or compile with --cxx g++, or leave --coverage out",
        ),
        "unfit": (
            "--coverage: {tool} cannot read what a program of {compiler} counts",
            "install the one of the compiler's version, or leave --coverage out",
        ),
    },
)
NO_HEADERS = declare(
    "EVT094",
    "Headers are missing",
    """`--headers` takes an include root that `evtgen build` wrote for the same specs: it must hold the header of each
    epilogue.""",
    says={
        "": ("{root} does not hold {missing}", "write it with: evtgen build SPEC -o {root}"),
    },
)
NO_TRACE = declare(
    "EVT073",
    "The trace cannot be written",
    """`--trace FILE` names a regular file, or one that does not exist yet, in a writable directory.""",
    says={
        "unwritable": ("--trace {path}: {strerror}", "name another file"),
        "no file": ("--trace {path} is not a regular file", "name another file"),
    },
)
NOT_DONE = declare(
    "EVT075",
    "The program did not come to its end",
    """A program that runs on the CPU model was ended by a signal, such as SIGSEGV for a stray pointer; or took longer
    than `--timeout` allows; or left without a word (`_exit`). The findings up to then are reported. If it was in a
    kernel, EVT144 says in which, and the device call that it made last.""",
    says={
        "run": ("{name} does not run on the CPU model: {error}", None),
        "ended": ("{file} was ended {after}: {given_up}", None),
        "signal": ("{file} was ended by {signal} {after}", None),
        "left": ("{file} left {after} without a report", "end it by exit, or return from main"),
    },
)
STALE_HEADERS = declare(
    "EVT019",
    "The headers are not what the spec gives",
    """`verify --headers` runs the headers as they are. These differ from what a build of the spec writes now, by more
    than comments and formatting: the spec or evtgen has changed since, or somebody has edited them. What is wrong in
    them may be put right by building or installing again.""",
    severity=Severity.WARNING,
    says={
        "epilogue": (
            "{path} is not what the spec gives now",
            "what is said of it below may be put right by running evtgen build or install again",
        ),
        "framework": (
            "{headers}{others} of the framework: not what this evtgen writes",
            "what is said of it below may be put right by running evtgen build or install again",
        ),
    },
)
NO_DUMP = declare(
    "EVT096",
    "The dump cannot be written",
    """`verify --dump DIR` writes one `.npz` per run into `DIR`, which is created if it is missing. It must be a
    writable directory.""",
    says={
        "directory": ("--dump {directory}: {strerror}", "name another directory"),
        "file": ("--dump: {path}: {strerror}", "name another directory"),
        "data": ("{place}: {strerror}", "name another directory"),
    },
)
CANNOT_RUN = declare(
    "EVT097",
    "What was built cannot be run",
    """A program or library in the cache was damaged and has been built again, and still cannot be read or run: the
    cache lies on a file system that runs no programs (mounted `noexec`), the compiler builds for another machine, or
    somebody changes the files. Set `EVTGEN_CACHE` to another directory.""",
    status=WRONG_ENVIRONMENT,
    says={
        "built": (
            "what was just built in the cache cannot be read or run: {final}",
            (
                "it may lie on a file system that runs no programs (noexec), or be changed by somebody else:\nset "
                "EVTGEN_CACHE to another directory"
            ),
        ),
        "command": (
            "cannot run {command}: {strerror}",
            "run evtgen again; if that does not help, set EVTGEN_CACHE to another directory",
        ),
        "program": (
            "cannot run {executable}: {strerror}",
            "set TMPDIR to a directory on a disk that programs can be run from",
        ),
    },
)
DISK_FULL = declare(
    "EVT098",
    "A disk is full",
    """The message names the disk: the disk of the cache (`EVTGEN_CACHE`), of temporary files (`TMPDIR`), or of
    `--dump`. Free some space, or name a directory on another disk.""",
    status=WRONG_ENVIRONMENT,
    says={
        "temporary": (
            "the disk that holds temporary files is full: {place}",
            "free some space there, or set TMPDIR to a directory on another disk",
        ),
        "cache": (
            "the disk that holds the cache is full: {where}",
            "free some space there, or set EVTGEN_CACHE to a directory on another disk",
        ),
        "data": ("the disk that the data go to is full: {path}", "name a directory on another disk"),
        "dump": ("the disk that the dump goes to is full: {path}", "name a directory on another disk"),
    },
)
NO_SCRATCH = declare(
    "EVT068",
    "Temporary files cannot be written",
    """The operands and results of a run are files in the system's place for temporary files: `TMPDIR`, else `/tmp`. Set
    `TMPDIR` to a writable directory.""",
    status=WRONG_ENVIRONMENT,
    says={
        "": ("cannot write temporary files: {strerror}", "set TMPDIR to a directory that can be written"),
    },
)
NO_MEMORY = declare(
    "EVT067",
    "The machine has too little memory",
    """The bytes that a run takes are estimated before it starts: operands and outputs, their copies in float64 for both
    references, the device's memory with its records, and the trace. If that is more than the machine has free, the run
    does not start. Choose a smaller `--shape`; a verification of some hundred rows and columns tests the same code.""",
    status=WRONG_ENVIRONMENT,
    says={
        "compiler": (
            "{command} was killed, as the system does when memory runs out",
            "compile fewer epilogues at once, or on a machine with more memory",
        ),
        "program": (
            "{name} takes about {gib} of memory, and {gib2} are free",
            "choose a smaller --shape: some hundred rows and columns test the same code",
        ),
    },
)
NO_CLUSTER = declare(
    "EVT297",
    "There is no cluster of Dask to work on",
    """`--dask ADDRESS` spreads work over the workers of a scheduler of Dask. It needs the package `dask.distributed`,
    which `pip install evtgen[dask]` brings, a scheduler at the address, and the same release of evtgen, with a C++
    compiler, where the workers are.""",
    status=WRONG_ENVIRONMENT,
    says={
        "dask": ("dask.distributed is not installed", "pip install evtgen[dask]"),
        "scheduler": ("there is no scheduler of Dask at {address}: {error}", "start one: dask scheduler"),
        "address": ("{address!r} is no address of a scheduler of Dask: {error}", "write it as tcp://HOST:8786"),
        "another": (
            "what answers at {address} is no scheduler of Dask",
            "give the address that dask scheduler prints, such as tcp://127.0.0.1:8786; that of its page is another",
        ),
        "release": ("the worker at {worker} has evtgen {other}, and this is evtgen {own}", "install the same release"),
    },
)
WORKER_LOST = declare(
    "EVT298",
    "A worker has ended",
    """A process that did a part of the work was ended from outside, such as by the system when memory runs out. On a
    cluster of Dask another worker does its part again; there this means that it happened several times.""",
    status=WRONG_ENVIRONMENT,
    says={"": ("a worker has ended: {error}", "run the command again, with fewer --jobs where memory is short")},
)
NO_DEVICE = declare(
    "EVT305",
    "There is no device to measure on",
    """`evtgen tune --device` and `evtgen profile --device` run kernels on an Ascend device, as operators of PyTorch
    that CANN's compiler builds. They need torch, torch_npu and CANN on a machine that has a device. Elsewhere
    leave `--device` out, or measure there and give the profiler's file to `evtgen profile --measured`.""",
    status=WRONG_ENVIRONMENT,
    says={
        "import": ("{error}, so no device can be found", "install torch_npu, or leave --device out"),
        "none": ("torch_npu finds no device here", "leave --device out, or run it where a device is"),
        "weights": ("{name} takes its weights by a list, which --device does not make", "leave --device out"),
        "cann": ("ASCEND_HOME_PATH names no CANN, which compiles for the device", "source CANN's set_env.sh"),
    },
)
