"""Names that the user must not choose: those reserved by C++, those of Catlass, and those that generated code uses."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ...diagnostics.diagnostic import Diagnostic
from ...diagnostics.files import NO_PLACE

KEYWORDS = frozenset(
    """alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class
    compl concept const consteval constexpr constinit const_cast continue co_await co_return co_yield decltype default
    delete do double dynamic_cast else enum explicit export extern false float for friend goto if inline int long
    mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public register
    reinterpret_cast requires return short signed sizeof static static_assert static_cast struct switch template this
    thread_local throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t while xor
    xor_eq""".split()  # noqa: SIM905
)
"""Keywords and alternative tokens of C++17 and C++20."""

MACROS = frozenset(
    """NULL EOF BUFSIZ RAND_MAX EXIT_SUCCESS EXIT_FAILURE INFINITY NAN HUGE_VAL INT_MAX INT_MIN UINT_MAX LONG_MAX
    LONG_MIN CHAR_BIT SIZE_MAX FLT_MAX FLT_MIN DBL_MAX DBL_MIN assert errno stdin stdout stderr offsetof setjmp
    va_start va_end va_arg va_copy GM_ADDR K_MAX_SHAPE_DIM ACL_CHECK RT_CHECK linux unix""".split()  # noqa: SIM905
)
"""Macros of the C library, of AscendC and of the examples, which name no epilogue and no functor."""

_LIKE_A_MACRO = re.compile(
    r"""[A-Z]{2}.* | [A-Z][A-Z0-9]*_.* | [A-Z][A-Z0-9]*[A-Z]  # M_PI, PRId64, E2BIG
    | B\d+  # baud rates, in termios.h
    | (d|h|s6|sa|si|st|if[acr]|sigev)_.*  # members of unions in POSIX headers: st_mtime, h_errno
    | I | errno | math_errhandling | linux | unix | i386""",
    re.VERBOSE,
)


LONGEST = 200
"""Characters of a name; an epilogue's is a file's name as well."""


def is_identifier(name: str) -> bool:
    """Whether ``name`` is an identifier of C++ in ASCII."""
    return re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) is not None


def macros_among(names: Iterable[str]) -> tuple[str, ...]:
    """Those names that a header of C, C++ or POSIX may define as a macro without parameters.

    They are matched by a pattern, which covers more than any list: names in capitals, or with two capitals at the
    start. The others are the few in lower case that these headers and the compilers have. Macros with parameters are
    left out, since they replace only calls.
    """
    return tuple(name for name in dict.fromkeys(names) if _LIKE_A_MACRO.fullmatch(name))


NEEDED = frozenset({"GM_ADDR", "ToEvt", "ToEvg"})
"""Names that the arguments struct uses or has itself."""

TYPES = frozenset(
    """half bfloat16_t int8_t uint8_t int16_t uint16_t int32_t uint32_t int64_t uint64_t size_t ptrdiff_t intptr_t
    uintptr_t float16_t fp16_t fp8_e4m3fn_t fp8_e5m2_t fp8_e8m0_t float8_e4m3_t float8_e5m2_t
    float8_e8m0_t float4_e2m1x2_t fp4x2_e2m1_t""".split()  # noqa: SIM905
)

NAMESPACES = frozenset(
    "std Catlass AscendC tla layout Arch Gemm Gemv Epilogue Fusion Visitors platform_ascendc golden operations".split()  # noqa: SIM905
)

MEMBERS = frozenset(
    """Arguments ToEvt EVT Edges Plan ElementA ElementB ElementC LayoutA LayoutB LayoutC COMPUTE_LENGTH UB_WORKSPACE
    WORKSPACE_STAGES BlockEpilogue TileCopy BlockMmad BlockScheduler Kernel
    ToEvg EVG ArchTag DispatchPolicy Layout LayoutTagA LayoutTagB LayoutTagC""".split()  # noqa: SIM905
)
"""Names that the header of an epilogue declares in its namespace and in its arguments struct."""

FUNCTOR = frozenset(
    "Element CAST_TILES SCRATCH_TILES HAS_BARRIER MAKES_MASK PIPE_V count tmp dst".split()  # noqa: SIM905
)
"""Names that an operator's functor declares or uses."""

HEADERS = frozenset({"helper", "golden", "options", "evt_example"})
"""Headers that the example programs include by these names; an epilogue's header beside them would hide one."""

CATLASS = frozenset(
    """Arch Conv Evt Gemm Gemv detail evt_example golden layout BLK_NUM_PER_VECTOR_FRACTAL BYTE_PER_BLK BYTE_PER_BLK_FP
    BYTE_PER_C0 BYTE_PER_C2 BYTE_PER_FRACTAL BYTE_PER_VECTOR_FRACTAL BitsToBytes BytesToBits C0_NUM_PER_FRACTAL Coord
    EmptyClass GemmCoord GemmShape GemvCoord GemvShape Index_ KernelAdapter L2_OFFSET LongIndex_ MX_BASEK_FACTOR
    MX_SCALE_COPY_GROUP_NUM MX_SCALE_GROUP_NUM MakeCoord MatrixCoord MatrixShape STRIDE_LIMIT SizeOfBits
    Status""".split()  # noqa: SIM905
)
"""What namespace ``Catlass`` has of its own in its releases up to v1.6, ``Epilogue`` apart, and what evtgen adds."""

_IN_EPILOGUE = re.compile(r"Block|Tile|(Block)?Epilogue\w+")
_IN_CATLASS = re.compile(r"Conv[23]d\w+|Conv\w*Shape")

_GLOBAL = re.compile(
    r"\w+_t|half|(?:Make)?Callback|CeilDiv|RoundUp|RoundDown|CDiv|DEPENDENT_\w+|std|AscendC|Catlass|tla|platform_ascendc"
)
"""Names that the code in namespace ``Catlass`` looks for outside of it."""

_IN_USE = frozenset({"Arch", "Epilogue", "Gemm", "layout"})
"""Namespaces in ``Catlass`` that the framework's code looks names up in."""


def namespace_fault(namespace: str) -> Diagnostic | None:
    """EVT085 where the framework cannot have a namespace; None if it can.

    It can be one below ``Catlass`` that Catlass does not have, and that hides nothing that is looked up in it.
    """
    root, *names = namespace.split("::")
    if root != "Catlass" or not names or not all(re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII) for name in names):
        return NO_PLACE.of("outside", namespace=namespace)
    top, *below = names
    for name in names:
        if name in KEYWORDS | MACROS or "__" in name or re.match(r"_[A-Z]", name):
            return NO_PLACE.of("keyword", namespace=namespace, name=name)
        if _GLOBAL.fullmatch(name) or (name in below and name in _IN_USE):
            return NO_PLACE.of("hides", namespace=namespace, name=name)
    taken = top in CATLASS or _IN_CATLASS.fullmatch(top) or (top == "Epilogue" and not below)
    if taken or (top == "Epilogue" and _IN_EPILOGUE.fullmatch(below[0])):
        name = "::".join([root, *names[: 1 if taken else 2]])
        return NO_PLACE.of("taken", namespace=namespace, name=name)
    return None
