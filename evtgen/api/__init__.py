"""What evtgen does for a program in Python: typed, quiet, and every failure is an :class:`EvtgenError`.

Each function takes one epilogue or several, and says by a list what the command of its name prints: a list of plain
records that shows itself as the command does, at a prompt as text and in a notebook as a table. Options are called as
the command line's; ``arch`` makes traced epilogues anew for an architecture. With ``progress=True`` a line says how far
the work is, on stderr or below the cell; ``progress`` may also be a function of such lines.
"""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Executor
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from ..frontend.dispatch import Dispatch
from ..graph.ir import Epilogue
from ..options import (
    BuildOptions,
    CheckOptions,
    ExplainOptions,
    ExtensionOptions,
    PartitionOptions,
    ProfileOptions,
    RenderOptions,
    ReportOptions,
    Run,
    ShapeLike,
    Size,
    TuneOptions,
    VerifyOptions,
)
from . import epilogues as _epilogues  # noqa: F401 - how an epilogue shows itself
from .signatures import takes

if TYPE_CHECKING:
    from ..emit.output.files import Written
    from ..pipeline.run import Compiled, Dispatched
    from .results import Checks, Explanations, Partition, Profiles, Results, Tunings

Epilogues = Epilogue | Iterable[Epilogue]
"""One epilogue, or several."""


@takes(CheckOptions)
def check(epilogues: Epilogues, /, options: CheckOptions) -> Checks:
    """The diagnostics of epilogues, none for those that are fine; as ``evtgen check``.

    Args:
        epilogues: one or several.
        arch: the architecture to make them for; None: their own.
        framework: ``"catlass"``: whether Catlass's own visitor framework can express them, too.
        numeric: also run your own operators on a grid of values and compare them with their numpy functions; the result
            has them as ``operators``.
        progress: show how far that is.

    Raises:
        EvtgenError: there is no epilogue (EVT202); with ``numeric`` the machine lacks something (EVT090).
    """
    from ..pipeline.check import check_further
    from .inputs import checked_of
    from .progress import shown
    from .results import Checks

    found = checked_of(epilogues, options.arch)
    with shown(options.progress if options.numeric else False) as told:
        operators = check_further(found, options, told)
    return Checks(found.diagnostics, [epilogue.name for epilogue in found.epilogues], operators)


@takes(RenderOptions)
def render(epilogues: Epilogues, /, options: RenderOptions) -> dict[str, str]:
    """What :func:`build` would write, in memory: the text of each file by its path below the include root.

    Args:
        epilogues: one or several.
        arch: the architecture to make them for; None: their own.
        framework: ``"catlass"``: in the nodes of Catlass's own visitor framework.
        namespace, fusion_dir: C++ namespace and directory of evtgen's framework.
        examples: also an example directory for each epilogue.
        banner: a file whose text goes to the top of every file, such as a licence.
        catlass: a checkout, for whose release the files are.
        tuned: a store of :func:`tune`, whose winners' options the epilogues have; shape: the problem size (M, N, K)
            that they are for, where the store has several.

    Raises:
        EvtgenError: an epilogue is wrong, or an option (EVT085, EVT079, EVT076, EVT093, EVT155, EVT175, EVT181).
    """
    from ..pipeline.build import Request
    from ..pipeline.build import render as files_of
    from .inputs import checked_of

    root = Path()
    examples = root if options.examples else None
    (files,), _ = files_of(Request.of(options, root, examples, given=checked_of(epilogues, options.arch)))
    return dict(files.files)


@takes(BuildOptions)
def build(epilogues: Epilogues, output: str | Path, /, options: BuildOptions) -> Written:
    """Write the framework and each epilogue's header into an include root, all or nothing; returns what changed there.

    Headers of other epilogues stay, also of those that are defined in the same file: ``evtgen build`` knows all of a
    file, and removes what it no longer has.

    Args:
        epilogues: one or several.
        output: the include root.
        examples: a directory to write an example directory per epilogue into.
        force: overwrite files that were edited or that evtgen did not write.
        arch, framework, namespace, fusion_dir, banner, catlass, tuned, shape: as for :func:`render`.

    Raises:
        EvtgenError: as :func:`render`; a file must not be overwritten (EVT080 to EVT084), or cannot be (EVT095).
    """
    from ..options import path
    from ..pipeline.build import Request
    from ..pipeline.build import build as write
    from .inputs import checked_of

    given = checked_of(epilogues, options.arch)
    return write(Request.of(options, path(output), options.examples, given=given), force=options.force)[0]


@takes(ExtensionOptions)
def extension(epilogues: Epilogues, output: str | Path, /, options: ExtensionOptions) -> Written:
    """Write a Python package with an operator of PyTorch for each epilogue, all or nothing; as ``evtgen extension``.

    Args:
        epilogues: one or several.
        output: the directory of the package, for ``pip install``; or what ``style`` says.
        namespace: of the operators, which are ``torch.ops.NAMESPACE.NAME``; also the name of the package.
        arch: the architecture to make them for; None: their own.
        catlass: a checkout, for whose release the headers are.
        style: ``"package"``; ``"csrc"``, sources and headers for the CMake of a repository; ``"catlass"``, the same for
            the examples of a checkout of Catlass, which ``output`` is.
        copy: operators copy tensors that their kernels cannot read in place.
        tuned, shape: as for :func:`render`.
        force: overwrite files that are there.

    Raises:
        EvtgenError: an epilogue is wrong, or cannot be an operator (EVT260); an option is wrong (EVT079, EVT093); a
            file must not be overwritten (EVT080), or cannot be (EVT095).
    """
    from ..options import path
    from ..pipeline.extension import extension as write
    from .inputs import checked_of

    return write(checked_of(epilogues, options.arch), path(output), options)[0]


def partition(
    model: Any,
    examples: Any = None,
    /,
    *,
    arch: str | None = None,
    run: Run = "reference",
    executor: Executor | None = None,
    jobs: int | None = None,
    dask: str | None = None,
) -> Partition:
    """The kernels of a model of PyTorch: each matmul with all behind it that an epilogue can compute, in as few
    launches as possible, and PyTorch for the rest. It needs torch.

    Args:
        model: a ``torch.nn.Module``; the program of ``torch.export.export``; or a ``torch.fx.GraphModule`` whose nodes
            say in ``meta["val"]`` what they are.
        examples: arguments that the module can be called with, in a tuple. Only their shapes and types matter. Extents
            that the model leaves free stay free: one kernel serves all batch sizes and lengths.
        arch: the architecture to make kernels for; None: Atlas A2.
        run: ``"reference"``: a call runs the kernels' references in numpy, which round where the kernels do;
            ``"model"``: the kernels as they are emitted, on the CPU model.
        executor: a ``concurrent.futures.Executor`` that finds the blocks of each kernel for its size, and with
            ``"model"`` compiles the kernels now, not each at its first call. jobs: so many processes. dask: the address
            of a scheduler of Dask.

    Returns:
        A :class:`~evtgen.api.results.Partition`: called with the model's arguments, it returns what the model
        does; ``kernels`` and ``rest`` say what it has fused, and what it has not and why.

    Raises:
        EvtgenError: EVT207 for what is no model; EVT208 for a module without examples, or one that torch cannot export;
            EVT266 without torch.
    """
    from ..pipeline.partition import partition as made
    from .results import Partition

    options = PartitionOptions(arch=arch, run=run, executor=executor, jobs=jobs, dask=dask)
    return Partition(**vars(made(model, examples, options)))


@takes(VerifyOptions)
def verify(epilogues: Epilogues, /, options: VerifyOptions) -> Results:
    """Compile the kernels, run them on the CPU model, and compare them with numpy; as ``evtgen verify``.

    Args:
        epilogues: one or several.
        shapes, shape: (M, N, K), or "MxNxK", of each problem; none: several small ones.
        batch, groups: matmuls of a launch, or rows of each group, where the epilogue is batched or grouped.
        ranks: how many there are, where rows go to other ranks; None: 3.
        seed: of the random operands. data: only whole numbers, ``"int"``, or normally distributed ones, ``"normal"``.
        arch: the architecture to make them for; None: their own.
        cxx: the C++ compiler. headers: an include root to verify instead of fresh headers.
        strict: warnings count as failures.
        catlass, ascendc: checkouts, whose headers are used.
        schedules: also run as late as possible and in so many random orders, and compare.
        pad: elements between the rows of every tensor. dump: a directory for one ``.npz`` per run.
        timeout: seconds after which a run is given up.
        framework: ``"catlass"``: in the nodes of Catlass's own visitor framework.
        against: a function that says what the outputs are meant to be, ``f(acc, X=…, alpha=…)``: of the product of A
            and B, (M, N) in float64, and of the inputs and numbers by name, in float64, whole numbers in int64. It
            returns an array, or a dict of all outputs by name. An epilogue's own is ``e.function``. How near the kernel
            must be, :mod:`evtgen.verify.against` derives from the bounds of the epilogue's formula.
        arrays: makes of a numpy array what ``against`` takes, such as ``torch.from_numpy``.
        together: epilogues that are compiled as one program; that is faster where there are many.
        executor: a ``concurrent.futures.Executor`` whose workers each verify an epilogue at a shape. jobs: so many
            processes. dask: the address of a scheduler of Dask.
        progress: show how far the work is.

    Returns:
        One :class:`~evtgen.verify.Result` per epilogue, shape and kind of data; the list has ``ok`` and ``require()``.

    Raises:
        EvtgenError: an epilogue or an option is wrong, ``against`` cannot be compared with (EVT203), or the machine
            lacks something, such as a compiler (EVT090). A fault of the kernel raises nothing; it is in the results.
    """
    from ..pipeline.verify import verify as verify_checked
    from .inputs import checked_of
    from .progress import shown
    from .results import Results

    with shown(options.progress) as told:
        results, warnings = verify_checked(checked_of(epilogues, options.arch), options, told)
    return Results(results, warnings)


@overload
def compile(epilogue: Epilogue, /, *, shape: ShapeLike | None = None) -> Compiled: ...
@overload
def compile(epilogue: Dispatch, /, *, shape: ShapeLike | None = None) -> Dispatched: ...
def compile(epilogue: Epilogue | Dispatch, /, *, shape: ShapeLike | None = None) -> Compiled | Dispatched:
    """The kernel of an epilogue as it is emitted, built for the CPU model: a function ``k(a, b, X=x, alpha=0.5)``. Each
    call runs it, and renders, formats and compiles nothing. Of a :class:`Dispatch` all kernels are built, and each call
    takes one by the rows of ``a``.

    Args:
        epilogue: what follows the matmul.
        shape: (M, N, K), or "MxNxK", of the problem that the kernel is for, as of :func:`render`. Calls may be of any
            other. The result's ``warnings`` have what was chosen (EVT309).

    A call takes what :func:`run` takes after the epilogue, returns what that returns, and raises what that raises for
    its arguments and for what the kernel does.

    Raises:
        EvtgenError: it is no epilogue (EVT202), or a wrong one; the shape is none (EVT086), or none of its own; or the
            machine lacks something, such as a compiler (EVT090).
    """
    from ..pipeline.run import Compiled, Dispatched
    from .inputs import one

    size = Size(None).take(shape)
    made = Dispatched(epilogue, size) if isinstance(epilogue, Dispatch) else Compiled(one(epilogue), size)
    made.build()
    return made


def run(epilogue: Epilogue | Dispatch, a: Any, b: Any, /, **tensors: Any) -> dict[str, Any]:
    """The outputs of an epilogue by name: its kernel as it is emitted, run on the CPU model as a function of arrays;
    short for ``compile(epilogue)(a, b, **tensors)``.

    Args:
        epilogue: what follows the matmul; of a :class:`Dispatch` the kernel for the rows of ``a``.
        a, b: its operands, (M, K) and (K, N). A batch has (L, M, K) and (L, K, N), groups have (M, K) and (G, K, N);
            without L or G, all matmuls share the array. With ``Gemm(accumulators="halves")`` b has 2N columns, with
            ``"separate"`` it is a pair (b, b2). With ``weights="pointers"`` each of them is a list of (K, N), with
            ``weight_index=True`` it is (W, K, N).
        tensors: the epilogue's inputs by name, (M, N), (1, N), (M, 1) or (1, 1), and numbers; axes of 1 may be left
            out, and so may inputs that have a default. In a batch each has an axis of L in front; in groups, a vector
            is (G, N) and a single value (G, 1). Without L or G, all matmuls share the array. A reduction may be given,
            too: what it is joined to. For a grouped epilogue, ``groups=[5, 0, 17]`` are the rows of each group; there
            may be more rows behind them; ``weight_index=[2, 0, -1]`` are the numbers of their Bs, -1 for rows that are
            left alone. Where rows go to other ranks, ``ranks=R`` says how many there are, and that output is (R, M, N).
            Also two options, unless an input or a number has their name:
            ``out``: the array that the output is written into, or a dict of arrays by the outputs' names; rows that the
            kernel does not write keep their values. ``copy=True``: copy arrays that the kernel cannot read in place.

    Arrays are numpy's, CPU tensors of torch, or what numpy takes. They are of the epilogue's types, or hold only values
    that those have. M may be 0.

    Returns:
        Arrays of numpy; tensors of torch if one of the arguments is a tensor; what is given as ``out``.

    Raises:
        EvtgenError: it is no epilogue (EVT202), or a wrong one; the arguments are not its own (EVT186), or not of its
            shapes (EVT187) or types (EVT188), or lie such that they would have to be copied (EVT255); the kernel has a
            fault (EVT189) or does not come to its end (EVT075); or the machine lacks something, such as a compiler
            (EVT090).
    """
    from ..pipeline.run import Compiled, Dispatched
    from .inputs import one

    compiled = Dispatched(epilogue) if isinstance(epilogue, Dispatch) else Compiled(one(epilogue))
    return compiled(a, b, **tensors)


@takes(ProfileOptions)
def profile(epilogues: Epilogues, /, options: ProfileOptions) -> Profiles:
    """Times on the CPU model's clock: cycles, busy pipes, and what the time goes to; as ``evtgen profile``. They are
    modelled, not measured.

    Args:
        epilogues: one or several.
        shape, shapes: (M, N, K), or "MxNxK", of each problem; None: 1024, 4096, 64.
        batch, groups: matmuls of a launch, or rows of each group, where the epilogue is batched or grouped.
        buffers: numbers of buffers to compare; None: 1, 2, 3 and its own, or with ``measured`` its own alone.
        measured: a CSV of msprof with what a device took, to lay beside the clock.
        device: lay the time of a launch on the Ascend device of this machine beside it.
        arch: the architecture to make them for; None: their own.
        trace: a file to write a Chrome trace to.
        cores: cube cores of the device. cxx: the C++ compiler. timeout: seconds after which a run is given up.
        progress: show how far the work is.

    Returns:
        One :class:`~evtgen.measure.profile.Profile` per epilogue and number of buffers.

    Raises:
        EvtgenError: an epilogue or an option is wrong, a run takes too long (EVT075), the file has no measurement of
            the kernel (EVT299), or the machine lacks something.
    """
    from ..pipeline.profile import profile as profile_checked
    from .inputs import checked_of
    from .progress import shown
    from .results import Profiles

    with shown(options.progress) as told:
        found, warnings = profile_checked(checked_of(epilogues, options.arch), options, told)
    return Profiles(found, warnings)


@takes(TuneOptions)
def tune(epilogues: Epilogues, /, options: TuneOptions) -> Tunings:
    """The fastest kernel of each epilogue at each shape, by the CPU model's clock; as ``evtgen tune``. Tiles, order,
    slices of K, workspace, buffers and lengths are searched, within what :func:`check` accepts.

    Args:
        epilogues: one or several.
        shapes, shape: (M, N, K), or "MxNxK", of each problem. With several there is also one winner for all.
        batch, groups: matmuls of a launch, or rows of each group, where the epilogue is batched or grouped.
        runs: the most kernels to compile for a shape. seed: of the search; one seed has one winner.
        assumed: also halve and double each assumed constant of the clock, and say whether the winner stays.
        store: a file of JSON to put the winners into, for ``build(tuned=…)``.
        write: also write the winner's options into the spec. dispatch: with it, a kernel for the rows of each shape,
            as a :class:`Dispatch`.
        device: time the kernels on the Ascend device of this machine.
        arch: the architecture to make them for; None: their own.
        cores: cube cores of the device. cxx: the C++ compiler. timeout: seconds after which a run is given up.
        executor: a ``concurrent.futures.Executor`` that compiles and times the kernels. jobs: so many processes. dask:
            the address of a scheduler of Dask.
        progress: show how far the work is.

    Returns:
        One :class:`~evtgen.pipeline.tune.Tuning` per epilogue and shape, then one for all shapes; what was timed is
        kept, so that a search that was interrupted goes on.

    Raises:
        EvtgenError: an epilogue or an option is wrong (EVT079), no kernel is right (EVT292), a spec cannot be rewritten
            (EVT294), a file is no store (EVT295), or the machine lacks something, such as a compiler.
    """
    from ..pipeline.tune import tune as tune_checked
    from ..pipeline.winners import keep, require_places
    from .inputs import checked_of
    from .progress import shown
    from .results import Tunings

    checked = checked_of(epilogues, options.arch)
    require_places(checked, options)
    with shown(options.progress) as told:
        found, warnings = tune_checked(checked, options, told)
    keep(checked, found, options)
    return Tunings(found, warnings)


@takes(ReportOptions)
def report(epilogues: Epilogues, output: str | Path, /, options: ReportOptions) -> Path:
    """Write a page about epilogues, ``index.html``, into a directory, and return its path; as ``evtgen report``.

    Args:
        epilogues: one or several.
        output: the directory, which is made if need be.
        shape, batch, groups, buffers, cores: as for :func:`profile`.
        run: verify and profile, too; otherwise only what needs no compiler. verify: of what is run, verify it, too.
        compare: a file that ``evtgen profile --json`` wrote, to show what changed.
        arch: the architecture to make them for; None: their own.
        cxx: the C++ compiler. timeout: seconds after which a run is given up.
        force: overwrite a page that was edited, or a file that evtgen did not write.
        progress: show how far the work is.

    Raises:
        EvtgenError: an epilogue or an option is wrong; the page must not be overwritten (EVT080), or cannot be
            written (EVT095); or the machine lacks something, such as a compiler.
    """
    from ..options import path
    from ..report.page.report import report as report_checked
    from .inputs import checked_of
    from .progress import shown

    place = path(output)
    with shown(options.progress) as told:
        return report_checked(checked_of(epilogues, options.arch), place, options, told)[0]


@takes(ExplainOptions)
def explain(epilogues: Epilogues, /, options: ExplainOptions) -> Explanations:
    """The graph of each epilogue, its C++ type, the order of its arguments and its memory; as ``evtgen explain``.

    Args:
        epilogues: one or several.
        arch: the architecture to make them for; None: their own.
        stack: measure what they take of the device's stack, too, if clang++ is installed; that compiles them.
        progress: show how far that is.

    Returns:
        A dict per epilogue, see :func:`evtgen.pipeline.explain.describe`.

    Raises:
        EvtgenError: an epilogue is wrong.
    """
    from ..pipeline.explain import explain as explain_checked
    from .inputs import checked_of
    from .progress import shown
    from .results import Explanations

    checked = checked_of(epilogues, options.arch)
    with shown(options.progress if options.stack else False) as told:
        found, warnings = explain_checked(checked, told, stack=options.stack)
    return Explanations(found, warnings, checked.plans)
