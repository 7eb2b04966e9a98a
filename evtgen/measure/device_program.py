"""The programs that examine epilogues: compiled as code of a device, and to measure the stack.

Both begin with the model's headers, which are not examined: for the device all their functions belong to both sides,
and for the stack none of them is part of the kernel.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from ..model.programs import Sources
from ..model.toolchain import DEVICE
from ..planner.evg import BUFFERS

ENTRY = "evtgen_entry"
"""The name of the functions that stand for kernels."""

SIZES = "evtgen_sizes"
"""The name of the arrays that hold two sizes in bytes: of the block epilogue's object, and of the callbacks in it."""

_BOTH_SIDES = "#pragma clang force_cuda_host_device begin\n{0}#pragma clang force_cuda_host_device end\n"

_FIRST = (
    "#define __gm__ __attribute__((address_space(1)))\n"
    + _BOTH_SIDES.format(
        "#include <cstddef>\n#if __has_include(<bits/exception.h>)\n#include <bits/exception.h>\n#endif\n"
    )
    + "#include <new>\n"
    + "".join(
        f"__attribute__((device)) {declared.format(brackets)}\n"
        for brackets in ("", "[]")
        for declared in (
            "void* operator new{0}(std::size_t);",
            "void* operator new{0}(std::size_t, std::align_val_t);",
            "void* operator new{0}(std::size_t, std::nothrow_t const&) noexcept;",
            "inline void* operator new{0}(std::size_t, void* place) noexcept {{ return place; }}",
            "void operator delete{0}(void*) noexcept;",
            "void operator delete{0}(void*, std::size_t) noexcept;",
            "void operator delete{0}(void*, std::align_val_t) noexcept;",
            "void operator delete{0}(void*, std::size_t, std::align_val_t) noexcept;",
            "inline void operator delete{0}(void*, void*) noexcept {{}}",
        )
    )
)
"""The mark of pointers to GM, and versions for the device of functions that a compiler declares for the host before a
program's first line: the model's headers use them.

libstdc++'s <cstddef> declares std::terminate, which must belong to both sides from then on. <new> declares
std::exception, whose subclasses override its functions."""

_DEVICE_QUALIFIERS = """\
#define CATLASS_DETAIL_MACROS_HPP
#define CATLASS_DEVICE inline __attribute__((device))
#define CATLASS_HOST_DEVICE inline __attribute__((host, device))
#define CATLASS_GLOBAL __attribute__((global))
#undef __aicore__
#define __aicore__ __attribute__((device))
#undef __host_aicore__
#define __host_aicore__ __attribute__((host, device))
#undef __global__
#define __global__ __attribute__((global))
"""

_STACK_QUALIFIERS = """\
#define CATLASS_DETAIL_MACROS_HPP
#define CATLASS_DEVICE inline __attribute__((always_inline))
#define CATLASS_HOST_DEVICE inline __attribute__((always_inline))
#define CATLASS_GLOBAL
"""

_APART = (
    "#pragma clang attribute push(__attribute__((noinline)), apply_to = function)\n{0}#pragma clang attribute pop\n"
)

_DEVICE_ENTRY = """\
#include "{name}.hpp"
#undef {name}
__attribute__((global)) void {entry}_{name}({kernel}::Params params)
{{
    {kernel} kernel;
    {run}
}}
"""

_DEVICE_PARAMS = """\
__attribute__((device)) {kernel}::Params evtgen_params_{name}(
    {epilogue}::Arguments const& epilogue, {kernel}::Arguments arguments, GM_ADDR workspace)
{{
    arguments.evt_args = epilogue.ToEvt();
    return {kernel}::ToUnderlyingArguments(arguments, workspace);
}}
"""
"""The body of an entry that makes the parameters of a kernel on the device."""

_BOTH_HALVES = """\
kernel.template operator()<AscendC::AIC>(params);
    kernel.template operator()<AscendC::AIV>(params);"""
"""The call that runs a kernel of evtgen's framework. A kernel of Catlass's own framework has one operator for both
kinds of core."""

_CALLBACKS = """\
#include <algorithm>
#include <utility>
#include "catlass/arch/resource.hpp"
#include "tla/numeric/integral_constant.hpp"
template <class Block>
using EvtgenCallbacks = decltype(std::declval<typename Block::{graph}&>().get_callbacks(
    std::declval<Catlass::Arch::Resource<typename Block::ArchTag>&>(), std::declval<uint32_t&>(),
    {length}));
"""

_PHASES = """\
template <class Phases, size_t... Is>
constexpr size_t EvtgenEpilogue(std::index_sequence<Is...>)
{{
    return std::max({{sizeof(typename Phases::template At<Is>)...}});
}}
template <class Phases, size_t... Is>
constexpr size_t EvtgenCallbacksOf(std::index_sequence<Is...>)
{{
    return std::max({{
        Phases::template At<Is>::UB_STAGES * sizeof(EvtgenCallbacks<typename Phases::template At<Is>>)...}});
}}
"""
"""The largest block epilogue of several phases: they do not live at the same time."""

_GRAPHS = "{kernel}::Phases::COUNT + {kernel}::Phases::HAS_WHOLE_ROWS"
"""How many there are: a graph that needs whole rows is behind the phases, or alone."""

_STACK_ENTRY = """\
#include "{name}.hpp"
#undef {name}
extern "C" size_t const {sizes}_{name}[] = {{
    {epilogue},
    {callbacks}}};
extern "C" __attribute__((flatten)) void {entry}_{name}({kernel}& kernel, {kernel}::Params const& params)
{{
    {run}
}}
"""


def device_program(kernels: Mapping[str, str], given: Sources) -> str:
    """Both halves of kernels as code of a device.

    Args:
        kernels: the type of each kernel, by the name of the header that declares it, without ``.hpp``.
        given: that header, and the files that it includes.
    """
    checkout = None if given.checkout is None else given.checkout.include
    # All functions of the standard library belong to both sides, too: those that are called show in the listing.
    standard = "".join(f"#include <{name}>\n" for name in sorted(_standard(given)))
    model = _BOTH_SIDES.format(f'{standard}#include "kernel_operator.h"\n')
    catlass = "".join(
        f'#if __has_include("{name}")\n#include "{name}"\n#endif\n' for name in _of_the_checkout(checkout)
    )
    replaced = _BOTH_SIDES.format(_includes([name for name in _of_the_model(checkout) if not _examined(name, given)]))
    run = "kernel(params);" if given.own_framework else _BOTH_HALVES
    entry = _DEVICE_ENTRY + ("" if given.own_framework else _DEVICE_PARAMS)
    entries = [
        entry.format(name=name, kernel=kernel, epilogue=kernel.rpartition("::")[0], entry=ENTRY, run=run)
        for name, kernel in kernels.items()
    ]
    return "".join([_FIRST, model, _DEVICE_QUALIFIERS, catlass, replaced, *entries])


def stack_program(kernels: Mapping[str, str], own_framework: bool = False) -> str:
    """The vector core's half of each kernel as one function, everything but AscendC's calls inlined into it, as the
    device's compiler does with functions that are marked ``CATLASS_DEVICE``. For ``kernels`` see
    :func:`device_program`; with ``own_framework`` they are of Catlass's own."""
    model = '#include "ascendc/tensor.h"\n' + _APART.format('#include "kernel_operator.h"\n')
    if own_framework:
        callbacks = _CALLBACKS.format(graph="EVG", length="uint32_t{}")
        run, epilogue = "kernel(params);", "sizeof({kernel}::BlockEpilogue)"
        buffers = f"{BUFFERS} * sizeof(EvtgenCallbacks<{{kernel}}::BlockEpilogue>)"
    else:
        callbacks = _CALLBACKS.format(graph="EVT", length="tla::Int<Block::COMPUTE_LENGTH>{}")
        callbacks += _PHASES.format()
        run = "kernel.template operator()<AscendC::AIV>(params);"
        epilogue, buffers = (
            f"{sizes}<{{kernel}}::Phases>(std::make_index_sequence<{_GRAPHS}>{{{{}}}})"
            for sizes in ("EvtgenEpilogue", "EvtgenCallbacksOf")
        )
    entries = [
        _STACK_ENTRY.format(
            name=name, kernel=kernel, entry=ENTRY, sizes=SIZES, run=run,
            epilogue=epilogue.format(kernel=kernel), callbacks=buffers.format(kernel=kernel),
        )
        for name, kernel in kernels.items()
    ]  # fmt: skip
    return "".join([model, _STACK_QUALIFIERS, callbacks, *entries])


def _examined(name: str, given: Sources) -> bool:
    """Whether the examined headers have one of this name, which comes before the model's own."""
    return name in given.headers or any((root / name).is_file() for root in given.include)


def _standard(given: Sources) -> set[str]:
    """The headers of the standard library that the examined headers include."""
    roots = [
        *given.include,
        *([] if given.checkout is None else [given.checkout.include / part for part in ("catlass", "tla")]),
    ]
    texts = [
        path.read_text(encoding="utf-8", errors="replace") for root in roots for path in sorted(root.rglob("*.hpp"))
    ]
    return {
        name
        for text in (*given.headers.values(), *texts)
        for name in re.findall(r"^#include <(\w+)>", text, re.MULTILINE)
    }


@cache
def _of_the_model(checkout: Path | None) -> tuple[str, ...]:
    """The model's own headers in Catlass's places, without the headers of launches, which are the host's."""
    root = DEVICE / ("catlass" if checkout is None else "overlay")
    names = (path.relative_to(root).as_posix() for path in sorted(root.rglob("*.hpp")))
    return tuple(
        name
        for name in names
        if name.startswith(("catlass/", "tla/")) and not name.endswith(("device_gemm.hpp", "kernel_adapter.hpp"))
    )


@cache
def _of_the_checkout(checkout: Path | None) -> tuple[str, ...]:
    """The checkout's headers that the model's own include. The program includes them first, so that they are not taken
    for the model's."""
    if checkout is None:
        return ()
    found: set[str] = set()
    for name in _of_the_model(checkout):
        for root in ("overlay", "catlass"):
            path = DEVICE / root / name
            if path.is_file():
                found |= set(
                    re.findall(r'^#include "((?:catlass|tla)/.*)"$', path.read_text(encoding="utf-8"), re.MULTILINE)
                )
    # The headers of Catlass v1.0 do not include all that they use.
    first = ("catlass/catlass.hpp", "catlass/layout/layout.hpp", "catlass/gemm/gemm_type.hpp")
    return (*first, *sorted(found - set(_of_the_model(checkout)) - set(first)))


def _includes(names: Sequence[str]) -> str:
    return "".join(f'#include "{name}"\n' for name in names)
