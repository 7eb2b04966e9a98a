"""What can go wrong around the files that a build writes, and with the machine that it runs on."""

from __future__ import annotations

from .diagnostic import Severity
from .table import declare

STYLE = declare(
    "EVT077",
    "The checkout's .clang-format cannot be used",
    """`evtgen install` formats what it writes with the checkout's own `.clang-format`. This one cannot be read, or the
    clang-format that evtgen brings does not take it: it is damaged, or uses settings of another version. The
    files are in the style of Catlass v1.6.3 instead; format them yourself if it matters.""",
    severity=Severity.WARNING,
)
BANNER = declare(
    "EVT076",
    "The banner cannot be used",
    """`--banner` names a file of UTF-8 text that goes on top of every emitted file as a comment. It cannot be read, is
    empty, has a line of more than 116 columns, or has in it what begins or ends a comment in C++ or Markdown (`/*`,
    `*/`, `<!--`, `-->`). Give the text alone: evtgen makes a comment of it. Nothing was written.""",
)
USAGE = declare(
    "EVT079",
    "The command line is not understood",
    """A command, an option or an argument is unknown or missing, or has a value that it cannot have.
    `evtgen COMMAND --help` lists what there is.""",
)
NOT_OURS = declare(
    "EVT080",
    "A file was edited, or is not evtgen's",
    """A build overwrites only what an earlier build wrote and nobody has changed since. Keep your copy elsewhere and
    remove the file, or overwrite it with `--force`. Nothing was written.""",
)
IN_THE_WAY = declare(
    "EVT081",
    "Something is in the way",
    """Where a file has to go there is a directory, or one of its directories is a file. Nothing overwrites that, not
    even `--force`: move it away, or choose another output directory.""",
)
LEAVES_ROOT = declare(
    "EVT082",
    "A path leaves the output directory",
    """A symbolic link below the output directory leads out of it. Remove the link, or build where it leads to.""",
)
SAME_NAME = declare(
    "EVT083",
    "Two epilogues have one name",
    """Each epilogue becomes the header `<name>.hpp`, so its name is unique among the specs of one output directory.
    Capitals do not count: some file systems do not tell them apart.""",
)
MANIFEST_BROKEN = declare(
    "EVT084",
    "The manifest cannot be read",
    """`.evtgen-manifest.json` is damaged, or of a newer evtgen. Remove it: what is there then counts as foreign, and
    `--force` takes it over.""",
)
NO_PLACE = declare(
    "EVT085",
    "The framework cannot go there",
    """`--namespace` is a C++ namespace below `Catlass`, without keywords and reserved names. `--fusion-dir` is a
    relative path below the include root; it is written into `#include` lines, so its parts hold letters, digits, `_`,
    `.` and `-` of ASCII.""",
)
NOT_A_SHAPE = declare(
    "EVT086",
    "The shape is not M x N x K",
    """`--shape` takes three whole numbers from 1 up, as in `--shape 256x512x1024`.""",
)
NOT_BUFFERS = declare(
    "EVT078",
    "Not a list of numbers of buffers",
    """`profile --buffers` takes one or more numbers of buffers, each from 1 to 99, as in `--buffers 1,2,3`.""",
)
BUILT_INTO = declare(
    "EVT087",
    "The checkout already holds a build",
    """`evtgen build -o` wrote into this checkout before. Keep using that, or take it away with `evtgen uninstall` and
    then install: two manifests for one set of files would contradict each other.""",
)
NO_ADAPTER = declare(
    "EVT088",
    "This Catlass release cannot build the example",
    """Catlass v1.0.0 has no `DeviceGemm`, with which the example programs launch their kernel. The headers work there;
    the examples need v1.0.1 or later, or the CPU model, which brings its own.""",
    severity=Severity.WARNING,
)
NO_PROGRAM = declare(
    "EVT089",
    "The program does not compile for the CPU model",
    """`evtgen cpu` takes one C++ file written as Catlass's examples are. Its headers come from the stand-in, or from
    the checkout that `--catlass` names, and from the directories of `--example-includes`. `evtgen check --numeric` says
    it of an operator that a spec declares, with the compiler's words.""",
)
CANNOT_WRITE = declare(
    "EVT095",
    "The files cannot be written",
    """The system refused to read or write below the output directory: permissions, a read-only or a full disk. What had
    been written was put back.""",
)
INTERNAL = declare(
    "EVT099",
    "Internal error",
    """A fault in evtgen, not in your spec. Run again with `EVTGEN_DEBUG=1` and report the spec together with what is
    printed.""",
)
