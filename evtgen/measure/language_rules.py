"""Which rule of the device's C++ a call breaks, by the name of the function that is called.

The rules come from AscendC's guide, see :mod:`evtgen.diagnostics.language`.
"""

from __future__ import annotations

import re

from ..diagnostics import language as codes
from ..diagnostics.table import Code

_MEMORY = {
    "operator new", "operator new[]", "operator delete", "operator delete[]", "malloc", "calloc", "realloc", "free",
    "aligned_alloc", "posix_memalign", "strdup", "alloca",
}  # fmt: skip
_FILES = {
    "fopen", "freopen", "fclose", "fread", "fwrite", "fflush", "fprintf", "vfprintf", "fscanf", "fputs", "fputc",
    "putc", "fgets", "fgetc", "getc", "fseek", "ftell", "rewind", "feof", "remove", "rename", "tmpfile", "open",
    "openat", "creat", "read", "write", "close", "lseek", "unlink", "mkdir",
}  # fmt: skip
_STREAMS = re.compile(r"std::(basic_)?[io]?(fstream|filebuf)|std::filesystem::")
_STANDARD = re.compile(r"(std|__gnu_cxx|__cxxabiv1)::")

_OPERATORS = {"nw": "operator new", "na": "operator new[]", "dl": "operator delete", "da": "operator delete[]"}
_PREFIXES = {"St": ["std"], "Sa": ["std", "allocator"], "Ss": ["std", "string"], "Sb": ["std", "basic_string"]}
_PREFIXES |= {"Si": ["std", "istream"], "So": ["std", "ostream"], "Sd": ["std", "iostream"]}


def of_call(name: str, *, c: bool = True) -> Code | None:
    """The rule that a call of ``name`` breaks wherever it stands in device code; None if it breaks none by its name.

    Args:
        name: as C++ spells it, with or without its template arguments and parameters.
        c: whether it may be a function of C's library; one of C++ may have the same name.
    """
    plain = name.removeprefix("::").removeprefix("std::")
    if plain in _MEMORY and (c or plain.startswith("operator ")):
        return codes.DYNAMIC_MEMORY
    if (c and plain in _FILES) or _STREAMS.match(name):
        return codes.FILE_ACCESS
    if plain == "__dynamic_cast" or name.startswith("std::type_info"):
        return codes.TYPE_INFORMATION
    return codes.STANDARD_LIBRARY if _STANDARD.match(name) else None


def is_placement(symbol: str) -> bool:
    """Whether a symbol is a ``new`` or ``delete`` that takes the place as an argument, and so allocates nothing."""
    return symbol in ("_ZnwmPv", "_ZnamPv", "_ZnwjPv", "_ZnajPv", "_ZdlPvS_", "_ZdaPvS_")


def spoken(symbol: str) -> str:
    """A symbol as C++ spells its name, without template arguments and parameters, as far as it needs no demangler:
    ``_ZSt4sortIPiEvT_S1_`` is ``std::sort``. A name of C is itself."""
    if not symbol.startswith("_Z"):
        return symbol
    rest = symbol[2:]
    if (operator := _OPERATORS.get(rest[:2])) is not None:
        return operator
    parts: list[str] = []
    rest = re.sub(r"^N[rVK]*[RO]?", "", rest)
    if (prefix := _PREFIXES.get(rest[:2])) is not None:
        parts, rest = list(prefix), rest[2:]
    while match := re.match(r"\d+", rest):
        end = match.end() + int(match[0])
        parts.append(rest[match.end() : end])
        # Names in an inline namespace, such as std::__cxx11, and names of an ABI.
        rest = re.sub(r"^(B\d+\w+?(?=[\dIEC]))", "", rest[end:])
    return "::".join(part for part in parts if part not in ("__cxx11", "__1")) or symbol
