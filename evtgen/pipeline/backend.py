"""``torch.compile(model, backend="evtgen")``.

1. PyTorch traces the model and makes graphs of it, for training one forward and one backward, with its own guards.
2. :func:`.partition.partition` finds the kernels of each graph.
3. Kernels run as references in numpy, on the CPU model, or on the device, by the device of their tensors.

What cannot be a kernel stays PyTorch. The logger ``evtgen.pipeline.backend`` says why; ``TORCH_LOGS=evtgen`` shows it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, get_args

from ..diagnostics import files as codes
from ..diagnostics.diagnostic import EvtgenError
from ..options import PartitionOptions, Run
from .decompositions import decompositions
from .operators import run_as_operators
from .partition import Partition, partition

log = logging.getLogger(__name__)

Graph = Callable[..., Any]
"""A compiled graph: a function of its inputs."""

DEVICES = ("cpu", "npu")
"""The types of device that kernels run on."""

_OPTIONS = ("run", "arch")


def backend(graph_module: Any, inputs: Sequence[Any], *, options: Mapping[str, Any] | None = None, **_: Any) -> Graph:
    """A backend of ``torch.compile``; PyTorch finds it as an entry point.

    Args:
        graph_module, inputs: of Dynamo.
        options: ``run``, how kernels run on CPU tensors: ``"model"``, on the CPU model; or ``"reference"``. ``arch``:
            the architecture.

    Raises:
        EvtgenError: EVT079 for other options; with ``"model"``, EVT090 without a compiler.
    """
    given = _options(options or {})

    def compiler(graph: Any, examples: Sequence[Any]) -> Graph:
        return _compiled(graph, examples, given)

    common = import_module("torch._dynamo.backends.common")
    autograd = common.aot_autograd(
        fw_compiler=compiler, bw_compiler=compiler, inference_compiler=compiler, decompositions=decompositions()
    )
    compiled: Graph = autograd(graph_module, inputs)
    return compiled


def _options(options: Mapping[str, Any]) -> PartitionOptions:
    for name in options:
        if name not in _OPTIONS:
            raise codes.USAGE.here("no option", name=name, known=", ".join(_OPTIONS))
    run = options.get("run", "model")
    if run not in get_args(Run):
        raise codes.USAGE.here("choice", name="run", given=run, among=", ".join(get_args(Run)))
    return PartitionOptions(arch=options.get("arch"), run=run)


def _compiled(graph: Any, examples: Sequence[Any], options: PartitionOptions) -> Graph:
    """A graph with its kernels; as it is, with the reason in the log, if there are none."""
    boxed: Callable[[Graph], Graph] = import_module("functorch.compile").make_boxed_func
    devices = {one.device.type for one in examples if hasattr(one, "device")}
    if not devices <= {*DEVICES} or len(devices) > 1:
        log.warning("a graph on %s stays PyTorch: kernels take tensors of one device, cpu or npu", ", ".join(devices))
        return boxed(graph.forward)
    try:
        made = partition(graph, None, options)
        if devices == {"npu"}:
            run_as_operators(made.kernels)
    except Exception as error:  # a model runs as it did before, whatever evtgen makes of it
        log.warning("a graph stays PyTorch: %s", error, exc_info=not isinstance(error, EvtgenError))
        return boxed(graph.forward)
    _say(made)
    if devices == {"cpu"} and options.run == "model":
        for kernel in made.kernels:
            kernel.call.compiled.build()
    return boxed(made.module.forward)


def _say(made: Partition) -> None:
    log.info("%d launches instead of %d", made.launches_after, made.launches_before)
    for kernel in made.kernels:
        log.info("kernel %s fuses %s", kernel.name, ", ".join(kernel.fuses) or "nothing")
    for left in made.rest:
        log.info("%s (%s) stays PyTorch: %s", left.node, left.calls, left.reason)
