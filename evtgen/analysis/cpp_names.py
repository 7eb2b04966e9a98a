"""Names that a spec must not use: what C++ keeps for itself and what generated code already calls so."""

from __future__ import annotations

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
"""Macros of the C library, of AscendC and of the examples: they would be replaced wherever they stand."""

TYPES = frozenset(
    """half bfloat16_t int8_t uint8_t int16_t uint16_t int32_t uint32_t int64_t uint64_t size_t ptrdiff_t intptr_t
    uintptr_t float16_t fp16_t""".split()  # noqa: SIM905
)

NAMESPACES = frozenset(
    "std Catlass AscendC tla layout Arch Gemm Gemv Epilogue Fusion platform_ascendc golden operations".split()  # noqa: SIM905
)

MEMBERS = frozenset(
    """Arguments ToEvt EVT Edges ElementA ElementB ElementC LayoutA LayoutB LayoutC COMPUTE_LENGTH BlockEpilogue
    BlockMmad BlockScheduler Kernel""".split()  # noqa: SIM905
)
"""What the header of an epilogue declares in its namespace and in its arguments struct."""

FUNCTOR = frozenset(
    "Element CAST_TILES SCRATCH_TILES HAS_BARRIER MAKES_MASK PIPE_V count tmp dst".split()  # noqa: SIM905
)
"""What an operator's functor declares, or takes as it is."""

OPERANDS = frozenset("ABC")
"""What generated code calls the operands and the result of the GEMM."""

EXAMPLE = frozenset(
    "Buffer Matches Matmul Options Round Run GemmOptions GemmCoord MatrixCoord Status main".split()  # noqa: SIM905
)
"""Global names of the example programs."""

HEADERS = frozenset({"helper", "golden", "options", "evt_example"})
"""Headers that the example programs include by these names; an epilogue's header beside them would hide one."""

C_LIBRARY = frozenset(
    """abort abs acos acosh aligned_alloc asin asinh atan atan2 atanh atexit atof atoi atol atoll bsearch calloc cbrt
    ceil clearerr copysign cos cosh ctime difftime div erf erfc exit exp exp2 expm1 fabs fclose fdim feof ferror
    fflush fgetc fgets floor fma fmax fmin fmod fopen fprintf fputc fputs fread free freopen frexp fscanf fseek ftell
    fwrite gamma getc getchar getenv gets gmtime hypot ilogb index j0 j1 jn labs ldexp ldiv lgamma llabs lldiv llrint
    llround localtime log log10 log1p log2 logb longjmp lrint lround malloc memchr memcmp memcpy memmove memset mktime
    modf nan nearbyint nextafter nexttoward perror pow printf putc putchar puts qsort raise rand read realloc
    remainder remove remquo rename rewind rindex rint round scalbln scalbn scanf select setbuf setlocale setvbuf
    signal signgam sin sinh sleep snprintf sprintf sqrt srand sscanf strcat strchr strcmp strcpy strcspn strerror
    strlen strncat strncmp strncpy strpbrk strrchr strspn strstr strtod strtof strtok strtol strtoul system tan tanh
    tgamma time tmpfile tmpnam trunc ungetc vprintf wait write y0 y1 yn""".split()  # noqa: SIM905
)
"""Functions that the C library declares in the global namespace, where an epilogue's namespace goes as well."""
