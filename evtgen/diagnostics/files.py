"""Codes of the command line, and of the files that a build reads and writes."""

from __future__ import annotations

from .diagnostic import WRONG_ENVIRONMENT, Severity
from .table import declare

STYLE = declare(
    "EVT077",
    "The checkout's .clang-format cannot be used",
    """`evtgen install` formats the files with the checkout's own `.clang-format`. This one cannot be read, or the
    clang-format that comes with evtgen rejects it: it is damaged, or uses settings of another version. The
    files are in the style of Catlass v1.6.3 instead; format them yourself if it matters.""",
    severity=Severity.WARNING,
    says={
        "": ("{root} cannot be used: {refused}", "fix it and install again, or format the files yourself"),
    },
)
NOT_SO_MANY = declare(
    "EVT177",
    "There are no such matmuls",
    """A batch (`--batch L`) is for epilogues with `gemm=Gemm(batch=True)`, groups (`--groups 5,0,17`) are for those
    with `group="m"` or `"k"`, ranks (`--ranks 4`) for those with `ops.scatter(…, ranks=…)`. An option applies to
    each epilogue of a command that has it, and is refused if none has it. M of a problem whose rows lie in groups
    is the sum of these, or more: then rows follow that are in no group. So is K with `group="k"`.""",
    says={
        "batch of one": (
            "a batch of {batch} is asked for, but {name} is not batched",
            "leave it out, or write gemm=Gemm(batch=True) in the spec",
        ),
        "batch": (
            "a batch of {batch} is asked for, but none of the epilogues is batched",
            "leave it out, or write gemm=Gemm(batch=True) in the spec",
        ),
        "groups of one": (
            "groups of {rows} are asked for, but {name} is not grouped",
            'leave them out, or write gemm=Gemm(group="m"), or "k", in the spec',
        ),
        "groups": (
            "groups of {rows} are asked for, but none of the epilogues is grouped",
            'leave them out, or write gemm=Gemm(group="m"), or "k", in the spec',
        ),
        "ranks of one": (
            "{ranks} ranks are asked for, but {name} sends no rows to any",
            "leave it out, or write ops.scatter(x, rows=row, ranks=rank) in the spec",
        ),
        "ranks": (
            "{ranks} ranks are asked for, but none of the epilogues sends rows to any",
            "leave it out, or write ops.scatter(x, rows=row, ranks=rank) in the spec",
        ),
        "rows": (
            "the groups have {count} rows, {rows}, but M of {m}x{n}x{k} is {m}",
            "M has the rows of all groups: write {count}x{n}x{k}, or more",
        ),
        "K": (
            "the groups take {count} of K, {sizes}, but K of {m}x{n}x{k} is {k}",
            "K has the parts of all groups: write {m}x{n}x{count}, or more",
        ),
    },
)
WITHIN_FRACTAL = declare(
    "EVT241",
    "The second half of B begins within a fractal",
    """With `accumulators="halves"` one B has 2N columns, and the second accumulator is the product with those from N
    on. A `zN` matrix is made of fractals as wide as 32 bytes, an `nZ` one of fractals with 16 columns; the cube core
    reads whole ones. So N is a multiple of that width: 16 columns of half in `zN`. Shapes that evtgen chooses itself
    fit.""",
    says={
        "": (
            "{name} has B in two halves as {layout}, whose fractals are {step} columns of {T} wide, but N is {n}",
            'take N as a multiple of {step}, or write accumulators="separate"',
        )
    },
)
TOO_FEW_COLUMNS = declare(
    "EVT276",
    "N is none that the parts of a row can have",
    """A part `x[:, 0:512]` has 512 columns, so N is at least 512; `x[:, 512:]` has at least one. In C++ `can_implement`
    says so. With `x[:, 0::2]` N is even. `ops.topk(x, k)` takes any N from k on; where the epilogue
    also reduces all of a row, or subtracts from all of it what is made of the largest, N is at most what a tile has.
    Shapes that evtgen chooses itself have as many.""",
    says={
        "": ("{name} takes parts of at least {least} columns, but N is {n}", "take N as {least} or more"),
        "odd": ("{name} takes every second column, but N is {n}", "take an even N"),
        "rows": (
            "{name} needs whole rows of at most {most} columns, but N is {n}",
            "take buffers=1 for longer tiles, or take the largest values in an epilogue of their own",
        ),
    },
)
NOT_WHOLE_HEADS = declare(
    "EVT278",
    "N is not a multiple of the head",
    """`ops.rope(x, cos, sin, head=128)` turns each head of so many columns, so N is a multiple of that. Shapes that
    evtgen chooses itself fit; at run time `CanImplement` refuses any other.""",
    says={"": ("{name} has heads of {head} columns, but N is {n}", "take N as a multiple of {head}")},
)
NOT_WHOLE_SCALES = declare(
    "EVT291",
    "K is not a multiple of 64",
    """With `scale="mx"` every 32 elements along K share a scale, and scales are copied two by two, so K is a multiple
    of 64. Shapes that evtgen chooses itself fit; at run time `CanImplement` refuses any other.""",
    says={
        "": (
            "{name} has scales for every 32 elements, which are copied two by two, but K is {k}",
            "take K as a multiple of {step}: fill A and B up with zeros",
        )
    },
)
NOT_WHOLE_BYTES = declare(
    "EVT286",
    "A line of a matrix would end within a byte",
    """Two elements of 4 bits lie in a byte, so each line of such a matrix has an even number of them: K is even where A
    is `RowMajor` or B is `ColumnMajor`, N where B is `RowMajor`, and where an output is of `float4_e2m1fn`. Shapes that
    evtgen chooses itself are; at run time `CanImplement` refuses any other.""",
    says={"": ("{name} has {step} elements in a byte, but {side} is {size}", "take {side} as a multiple of {step}")},
)
NOT_GROUPS = declare(
    "EVT178",
    "Not a list of the rows of groups",
    """`--groups` takes the rows of each group, as in `--groups 5,0,17`: whole numbers from 0 to 999999999, 9999 of them
    at most. There may be no group (`--groups ""`), and all may be empty.""",
    says={
        "text": ("{shown!r} does not say the rows of each group: {why}", "write it like 5,0,17"),
        "value": (
            "{given!r} does not say the rows of each group",
            "write it like [5, 0, 17]",
        ),
    },
)
NO_STDOUT = declare(
    "EVT072",
    "Standard output cannot be written",
    """Standard output is closed, or the disk that it goes to is full or failed. What the command printed is lost, at
    least in part; the files that it writes itself are not concerned. If the reader of a pipe went away, the exit status
    is 141 and nothing is said, as with other programs.""",
    status=WRONG_ENVIRONMENT,
    says={
        "": ("standard output cannot be written: {strerror}", None),
    },
)
NO_DIRECTORY = declare(
    "EVT074",
    "The working directory is gone",
    """The directory that the command was started in has been removed, or may not be read. Change to another one.""",
    status=WRONG_ENVIRONMENT,
    says={
        "": ("the working directory cannot be used: {strerror}", "change to another directory"),
    },
)
BANNER = declare(
    "EVT076",
    "The banner cannot be used",
    """`--banner` names a file of UTF-8 text that goes to the top of every emitted file as a comment. It cannot be read,
    is empty, has a line of more than 116 columns, or contains a mark that begins or ends a comment in C++ or Markdown
    (`/*`, `*/`, `<!--`, `-->`). Give the text alone: evtgen turns it into a comment. Nothing was written.""",
    says={
        "not UTF-8": ("{path} is not UTF-8: {reason} at byte {start}", None),
        "unreadable": ("cannot read {path}: {reason}", None),
        "empty": ("{path} holds no text", None),
        "mark": (
            "{path}:{line}: {mark!r} begins or ends a comment",
            "give the text alone; evtgen makes a comment of it",
        ),
        "unprintable": ("{path}:{line}: there is a character that cannot be printed", None),
        "long": ("{path}:{line}: {columns} columns; {most} are allowed", "wrap the line"),
    },
)
USAGE = declare(
    "EVT079",
    "The command line is not understood",
    """A command, an option or an argument is unknown or missing, or has a value that it cannot have.
    `evtgen COMMAND --help` lists the options and arguments.""",
    says={
        "timeout": ("timeout={given!r} is no number of seconds from {low} to {high}", None),
        "no option": ("there is no option {name!r}", "options are {known}"),
        "choice": ("{name}={given!r} is none of {among}", None),
        "whole": ("{name}={given!r} is no whole number from {low} up", None),
        "range": ("{name}={given!r} is no whole number from {low} to {high}", None),
        "empty path": ("a path is empty", "the working directory is ."),
        "own framework": (
            "--namespace and --fusion-dir are about evtgen's own framework, not that of --framework catlass",
            None,
        ),
        "namespace": (
            "an extension needs the namespace of its operators",
            "for example my_ops: --namespace my_ops, or namespace=",
        ),
        "tuned shapes": (
            "a kernel is tuned for a shape, and none is given",
            "for example --shape 16x4096x4096, or shapes=[(16, 4096, 4096)]",
        ),
        "device": ("--device goes with none of --measured, --jobs, --dask and executor=", "leave the others out"),
        "no effect": ("{option} has no effect with {beside}", "leave one of them out"),
        "measured buffers": (
            "a measurement is of the kernel as it is built, with buffers={own}, which is not among --buffers",
            "give that number, too, or leave --buffers out",
        ),
        "measured shapes": ("a measurement is of one shape, and there are several", "give one --shape with --measured"),
        "not tuned": ("{name} was not tuned for {arch}", "give evt.tune this epilogue, too"),
        "tuned dispatch": (
            "--dispatch goes with --write and shapes of more than one M",
            "evtgen tune SPEC --shape 1x4096x4096 --shape 2048x4096x4096 --write --dispatch",
        ),
        "dispatch": (
            "a kernel of a Dispatch cannot have {what!r}",
            "Dispatch(epilogue, {{16: options}}): rows from 1 to 999999999, and options that change the time alone, "
            "such as l1",
        ),
        "dispatched rows": (
            "a kernel of a Dispatch cannot have rows {bound}",
            "Dispatch(epilogue, {{16: options}}): rows from 1 to 999999999",
        ),
        "executors": ("there is more than one of --jobs, --dask and executor=", "give one of them"),
        "replace": ("--replace is about evtgen's own framework, not that of --framework catlass", None),
    },
)
_KEEP_OR_FORCE = "keep your copy elsewhere and remove it, or overwrite it with --force"

NOT_OURS = declare(
    "EVT080",
    "A file was edited, or is not evtgen's",
    """A build overwrites only files that an earlier build wrote and that have not been changed since. Keep your copy
    elsewhere and remove the file, or overwrite it with `--force`. Nothing was written.""",
    says={
        "foreign": ("{path} exists and was not written by evtgen", _KEEP_OR_FORCE),
        "edited": ("{path} was edited since evtgen wrote it", _KEEP_OR_FORCE),
    },
)
NOT_KEPT = declare(
    "EVT069",
    "A file of Catlass's cannot be kept, or given back",
    """`evtgen install --replace` keeps each file of Catlass's that it overwrites in `.evtgen-replaced`, and `evtgen
    uninstall`, or an installation without `--replace`, puts it back. The kept file is gone or was changed, or another
    file is where it would go. Nothing was changed. Get the original from Catlass's repository with `git checkout`, into
    its own place, and run the command again.""",
    says={
        "": (
            "{kept} does not hold the file of Catlass's that was in the place of {shown}",
            "put that file back, for example with git checkout -- {path}, and remove {kept}",
        )
    },
)
IRREPLACEABLE = declare(
    "EVT070",
    "evtgen's framework cannot take the place of this one",
    """`evtgen install --replace` puts evtgen's headers in the place of a visitor framework that the checkout has.
    Programs that use it must go on working, so evtgen's framework must have all of its headers, and the checkout must
    have the block epilogue and the kernel that come with evtgen's framework (`block_epilogue_visitor.hpp`,
    `matmul_visitor.hpp`). The framework of Catlass v1.6 is another one, for Ascend950. Install without `--replace`;
    evtgen's framework then goes beside it.""",
    says={
        "": (
            "evtgen's framework cannot take the place of the one in {include}: {why}",
            "install without --replace: evtgen's goes beside it",
        ),
    },
)
IN_THE_WAY = declare(
    "EVT081",
    "Something is in the way",
    """There is a directory or a link where a file has to go, or a file where one of its directories has to go. Not even
    `--force` overwrites that: move it away, or choose another output directory.""",
    says={"": ("{where} is in the way: {what}", "move it away, or name another place")},
)
LEAVES_ROOT = declare(
    "EVT082",
    "A path leaves the output directory",
    """A directory below the output directory is a symbolic link, so a file below it would be written or removed
    elsewhere. Remove the link, or build into its target. Nothing was changed.""",
    says={
        "": (
            "{wrong} is a link; files below it would be changed elsewhere",
            "remove the link, or build into the directory that it leads to",
        ),
        "built into": ("{inside} is a link, and holds files of evtgen build", "remove them with evtgen in {realpath}"),
    },
)
WORK_TAKEN = declare(
    "EVT064",
    "Something else is in the place of the work directory",
    """A build works in `.evtgen-build` below the output directory, and removes it at its end. If it is killed, the next
    build removes what it left. There is something that evtgen did not put there. Move it away; nothing was changed.""",
    says={"": ("{path} is in the place of a build's own files, and no build made it", "move it away")},
)
NEVER_WRITTEN = declare(
    "EVT065",
    "The manifest lists a file that evtgen cannot have written",
    """Files in `.evtgen-manifest.json` are overwritten and removed as evtgen's own. evtgen writes `NAME.hpp` and the
    framework's headers below an include root, and the files of the examples below an examples directory. The manifest
    lists another one, so somebody edited it, or it belongs to another directory. Nothing was changed. Remove it; the
    files below it then count as not evtgen's, and `--force` overwrites them.""",
    says={
        "": (
            "{shown} lists {path!r:.120}, which evtgen does not write there",
            "nothing was changed; remove {shown}, and build with --force",
        )
    },
)
NO_SUCH_FILE = declare(
    "EVT066",
    "evtgen writes no such file",
    """The last check before files are written: evtgen gives no file this name. For example, an object that is not quite
    a `str` was used as a name. Nothing was written.""",
    says={"": ("{path!r:.200} is no file that evtgen writes below {root}", None)},
)
_OTHER_NAME = "give it another name=, or build the specs into different directories"

SAME_NAME = declare(
    "EVT083",
    "Two epilogues have one name",
    """Each epilogue becomes the header `<name>.hpp`, so its name must be unique among the specs of one output
    directory, whether they are built by one command or by several. Names that differ only in case count as the same,
    because some file systems do not tell them apart. If an epilogue has moved from one spec to another, build both
    together once; `--force` gives the files to the spec that is built.""",
    says={
        "built before": (
            "{name} of {spec} and {old} of {other}, which was built here before, would be the same files",
            "give one of them another name=, or build into another directory; if it has moved from one spec to the "
            "other, build both specs together, or use --force",
        ),
        "same name": ("{name} is the name of {counts} epilogues; each writes {name}.hpp", _OTHER_NAME),
        "same function": (
            "{name} is defined again here, so that Python forgets the one in line {line}",
            "give one of them another name",
        ),
        "same file": (
            "{name}.hpp and {first}.hpp differ only in case and would be one file on some systems",
            _OTHER_NAME,
        ),
    },
)
MANIFEST_BROKEN = declare(
    "EVT084",
    "The manifest cannot be read",
    """`.evtgen-manifest.json` is damaged, or was written by a newer evtgen. Remove it; the files below it then count as
    not evtgen's, and `--force` overwrites them.""",
    says={"": ("{shown} is not a manifest that this evtgen can read: {why}", "remove it, and build with --force")},
)
_NAMESPACE = "write it like Catlass::Epilogue::MyFusion"

NO_PLACE = declare(
    "EVT085",
    "The framework cannot go there",
    """`--namespace` is a C++ namespace below `Catlass`, or below `Catlass::Epilogue`, without keywords and reserved
    names. It must not be one of Catlass's own, and no part of it may be a name that the code in it needs, such as
    `layout` or `AscendC`. `--fusion-dir` is a relative path below the include root; it is written into `#include`
    lines, so its parts hold letters, digits, `_`, `.` and `-` of ASCII. No part may begin with `.evtgen-`, as the names
    of evtgen's own files do.""",
    says={
        "outside": ("--namespace {namespace!r} is not a C++ namespace below Catlass", _NAMESPACE),
        "keyword": ("--namespace {namespace!r}: {name} is a keyword, a macro or reserved in C++", _NAMESPACE),
        "hides": ("--namespace {namespace!r} would hide {name} from the code in it", _NAMESPACE),
        "taken": ("--namespace {namespace!r}: {name} is something else already", _NAMESPACE),
        "own": (
            "--fusion-dir {directory!r}: names that begin with {own} are those of evtgen's own files",
            "write it like my/fusion",
        ),
        "directory": (
            "--fusion-dir {directory!r} is not a directory below the include root",
            "write it like my/fusion",
        ),
        "header": ("--fusion-dir {directory!r}: {header} is the header of an epilogue", "write it like my/fusion"),
    },
)
NOT_A_SHAPE = declare(
    "EVT086",
    "The shape is not M x N x K",
    """`--shape` takes three whole numbers from 1 to 999999999, as in `--shape 256x512x1024`.""",
    says={
        "text": ("{shown!r} is not a shape M x N x K: {why}", "write it like 256x512x1024"),
        "value": (
            "{given!r} is not a shape (M, N, K) of three whole numbers from 1 up",
            "write it like (256, 512, 1024)",
        ),
    },
)
NOT_BUFFERS = declare(
    "EVT078",
    "Not a list of numbers of buffers",
    """`profile --buffers` takes one or more numbers of buffers, each from 1 to 99, as in `--buffers 1,2,3`.""",
    says={
        "text": ("{text!r} is not a list of numbers of buffers", "write it like 1,2,3"),
        "value": ("{given!r} is not a list of numbers of buffers", "write it like [1, 2, 3]"),
    },
)
BUILT_INTO = declare(
    "EVT087",
    "The checkout already holds a build",
    """`evtgen build -o` wrote into this checkout before. Keep using that, or remove its files with `evtgen uninstall`
    and then install: two manifests for one set of files would contradict each other.""",
    says={
        "": (
            "{include} holds files of evtgen build",
            "keep using evtgen build -o {include}, or first: evtgen uninstall --catlass {catlass}",
        ),
    },
)
NO_ADAPTER = declare(
    "EVT088",
    "This Catlass release cannot build the example",
    """Catlass v1.0.0 has no `DeviceGemm`, which the example programs use to launch their kernel. The headers work with
    it; the examples need v1.0.1 or later, or the CPU model, which has a `DeviceGemm` of its own.""",
    severity=Severity.WARNING,
    says={
        "": (
            "Catlass {release} has no DeviceGemm, which the example programs launch with",
            "the headers are fine; build the examples with Catlass v1.0.1 or later",
        ),
    },
)
SUBMODULE = declare(
    "EVT261",
    "The checkout is a submodule",
    """A repository with Catlass as a submodule names a commit of it and no files. What `evtgen install` adds there is
    in no commit, and is gone in the next clone. Write the headers into a directory of the repository itself, by
    `evtgen build SPEC... -o DIR --catlass SUBMODULE`, or operators of PyTorch by `evtgen extension --style csrc`, and
    put `-I DIR` before Catlass's headers.""",
    severity=Severity.WARNING,
    says={
        "": (
            "{root} is a submodule, whose repository does not keep what is added there",
            "evtgen build -o DIR --catlass {catlass} writes into a directory of the repository",
        ),
    },
)
_CANNOT_COMPILE = "{version} cannot compile {file}:\n{excerpt}"

NO_PROGRAM = declare(
    "EVT089",
    "The program does not compile for the CPU model",
    """`evtgen cpu` takes one C++ file written as Catlass's examples are. Its headers come from the stand-in, or from
    the checkout that `--catlass` names, and from the directories of `--example-includes`. `evtgen check --numeric`
    reports it for an operator that a spec declares. The message quotes the compiler.""",
    says={
        "epilogue": ("{name} does not compile: {program}", None),
        "functor": ("the functor of {operator} does not compile in {T}: {program}", None),
        "unreadable": ("cannot read {file}: {strerror}", None),
        "program": (_CANNOT_COMPILE, None),
        "clang++": ("{file} needs clang++: g++ takes no {what}\n" + _CANNOT_COMPILE, None),
        "header": ("{header} is in no directory of headers\n" + _CANNOT_COMPILE, None),
        "twice": (
            "{name} is defined twice, in {second} and in {first}: leave out one of the two directories\n"
            + _CANNOT_COMPILE,
            None,
        ),
        "name": ("the CPU model does not have {name}\n" + _CANNOT_COMPILE, None),
        "owned name": ("the CPU model does not have {name} of {of}\n" + _CANNOT_COMPILE, None),
        "policy": ("the CPU model does not have {name} for {of}\n" + _CANNOT_COMPILE, None),
        "layout": ("the CPU model does not have BlockMmad for matrices in layout::{name}\n" + _CANNOT_COMPILE, None),
    },
)
_ANOTHER = 'for example "{better}"'

NO_MODULE = declare(
    "EVT226",
    "A new file cannot have this name",
    """`evtgen new NAME` writes `NAME.py`, which defines `NAME`, and `test_NAME.py`, which imports it. So `NAME` must
    not be a keyword of Python, a module that `NAME.py` would hide from others, such as `math`, a name that pytest takes
    for a file of tests, or a name that the two files use. Nothing was written.""",
    says={
        "keyword": ("{name} is a keyword of Python", _ANOTHER),
        "module": ("{name}.py would hide the module {name}", _ANOTHER),
        "tests": ("pytest would take {name}.py for a file of tests", _ANOTHER),
        "taken": ("{name} is something else in these files", _ANOTHER),
    },
)
NOT_IN_GALLERY = declare(
    "EVT227",
    "The gallery has no such epilogue",
    """`evtgen new NAME --from gallery/ENTRY` starts from an epilogue of the [gallery](gallery.md), by the name that it
    has there, such as `gallery/bias_gelu`. Nothing was written.""",
    says={
        "": ("the gallery has no {name!r}", None),
    },
)
CANNOT_WRITE = declare(
    "EVT095",
    "The files cannot be written",
    """The system refused to read or write below the output directory: permissions, a read-only or a full disk. Changes
    made up to then were undone.""",
    says={"": ("cannot read or write {where}: {what}", "check permissions and free space, then try again")},
    status=WRONG_ENVIRONMENT,
)
INTERNAL = declare(
    "EVT099",
    "Internal error",
    """A fault in evtgen, not in your spec. Run again with `EVTGEN_DEBUG=1` and report the spec together with the
    output.""",
    says={
        "": (
            "internal error: {name}: {error}",
            ("this is a fault in evtgen, not in your spec; run again with EVTGEN_DEBUG=1, and report spec and output"),
        ),
    },
)
