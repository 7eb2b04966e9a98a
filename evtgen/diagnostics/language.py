"""Codes of the device's C++: the rules that its compiler imposes on kernels, and the room on its stack and in its
instruction cache.

The rules are those of AscendC's guide: the lists of the page on C++ support (技术附录/CPP标准支持/语法限制), and the
function execution space qualifiers of the page on built-in keywords (编程指南/语言扩展层/SIMD-BuiltIn关键字).
"""

from __future__ import annotations

from .diagnostic import Severity
from .table import declare

HOST_FUNCTION = declare(
    "EVT160",
    "Device code calls a function of the host",
    """A function without a qualifier belongs to the host, and device code may call only functions that are marked
    `__aicore__` (AscendC's guide, function execution space qualifiers); g++ knows no such difference. Write
    `CATLASS_DEVICE` before the function, or `CATLASS_HOST_DEVICE` if the host calls it too.""",
)
VIRTUAL = declare(
    "EVT161",
    "Device code has virtual functions or bases",
    """The device has neither virtual functions nor virtual inheritance (AscendC's guide, restrictions of C++). Choose
    the function at compile time, by a template parameter.""",
)
RECURSION = declare(
    "EVT162",
    "Device code is recursive",
    """The device has no recursion at run time (AscendC's guide, restrictions of C++). Recursion that ends at compile
    time, of templates or in constant expressions, is no recursion at run time. Write a loop.""",
)
DYNAMIC_MEMORY = declare(
    "EVT163",
    "Device code allocates memory",
    """The device has no `new`, `delete`, `malloc` or `free` (AscendC's guide, restrictions of C++). Use members, or
    UB and workspace that the host has planned.""",
)
TYPE_INFORMATION = declare(
    "EVT164",
    "Device code asks for types at run time",
    """The device has no `typeid`, and so no `dynamic_cast` (AscendC's guide, restrictions of C++). Compare types at
    compile time, with `std::is_same_v`.""",
)
FILE_ACCESS = declare(
    "EVT165",
    "Device code opens, reads or writes files",
    """The device has no file system (AscendC's guide, restrictions of C++). Pass data through GM.""",
)
STANDARD_LIBRARY = declare(
    "EVT166",
    "Device code calls the standard library",
    """The functions of the standard library belong to the host, tuples and algorithms included (AscendC's guide,
    restrictions of C++). What is gone after compilation, such as type traits and `std::declval`, may be used. Catlass
    has `tla::tuple`, `tla::get`, `CeilDiv` and the like in their place, AscendC has `AscendC::Std`.""",
)
KERNEL_ARGUMENT = declare(
    "EVT167",
    "An argument of a kernel is not plain data",
    """The arguments of a kernel are basic types, pointers to basic types in GM, and plain structs of them (AscendC's
    guide, restrictions of functions): no references, no pointers to functions, members or structs.""",
)
REFUSED = declare(
    "EVT168",
    "Device code is refused",
    """clang++ refuses the header as code of a device: it throws, for instance, or has a variable that is initialised at
    run time. The message is clang's.""",
)
STACK = declare(
    "EVT169",
    "The epilogue does not fit the device's stack",
    """Catlass's build files give a kernel 32,768 bytes of stack (`-cce-aicore-stack-size=0x8000`). The epilogue's frame
    alone is larger than that: it holds the callbacks of every node for every buffer. Use fewer nodes or buffers.""",
    says={
        "": ("the frame of {name} takes {frame:,} of the {limit:,} bytes of the stack", None),
    },
)
INSTRUCTIONS = declare(
    "EVT159",
    "The code does not fit the instruction cache",
    """A vector core's instruction cache has 16 KB (AscendC's guide, cache coherence). `evtgen explain` counts the
    instructions that clang++ makes of the vector core's half of the kernel for this machine, at 4 bytes each, which is
    what an instruction of the device has. The device's compiler makes others, and several of a call of AscendC's: this
    is an estimate, and rather low. Where each block goes through all phases at once, code that does not fit is loaded
    again for each block; where cores meet, they need one phase at a time. A device's profiler has the misses
    (`aiv_icache_miss_rate`). Use fewer nodes or phases, or two epilogues.""",
    Severity.WARNING,
    says={
        "": ("the code of {name} takes about {bytes:,} bytes, and the instruction cache has {cache:,}", None),
    },
)
