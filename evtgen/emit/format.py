"""clang-format over a set of files, in Catlass's style.

The pinned wheel is part of the output: same version, same bytes.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

STYLE = """\
BasedOnStyle: Google
Standard: c++17
ColumnLimit: 120
IndentWidth: 4
AccessModifierOffset: -4
PointerAlignment: Left
DerivePointerAlignment: false
QualifierAlignment: Leave
AlignAfterOpenBracket: AlwaysBreak
AllowShortFunctionsOnASingleLine: Empty
AllowShortBlocksOnASingleLine: Empty
AllowShortIfStatementsOnASingleLine: Never
AllowShortLoopsOnASingleLine: false
AllowAllParametersOfDeclarationOnNextLine: true
AlwaysBreakTemplateDeclarations: Yes
BinPackArguments: true
BinPackParameters: true
BreakBeforeBinaryOperators: NonAssignment
BreakConstructorInitializers: BeforeComma
PackConstructorInitializers: CurrentLine
BreakBeforeBraces: Custom
BraceWrapping:
  AfterFunction: true
ConstructorInitializerIndentWidth: 4
ContinuationIndentWidth: 4
CommentPragmas: '^ .*'
ReflowComments: false
SortIncludes: CaseSensitive
IncludeBlocks: Preserve
SpacesBeforeTrailingComments: 2
"""
"""Google's style with Catlass's settings: 120 columns, 4 spaces, ``Type const&``, a function's brace on a line."""

SUFFIXES = (".hpp", ".cpp")


def executable() -> Path:
    """The clang-format of the wheel."""
    import clang_format

    return Path(clang_format.__file__).parent / "data" / "bin" / "clang-format"


def format_files(files: Mapping[str, str]) -> dict[str, str]:
    """Format the C++ among ``files`` (relative path → text), all in one run; the rest comes back as it is."""
    sources = {path: text for path, text in files.items() if path.endswith(SUFFIXES)}
    if not sources:
        return dict(files)
    with tempfile.TemporaryDirectory(prefix="evtgen-format-") as scratch:
        root = Path(scratch)
        (root / ".clang-format").write_text(STYLE, encoding="utf-8")
        for path, text in sources.items():
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        subprocess.run(
            [str(executable()), "-i", "--style=file", *sources], cwd=root, check=True, capture_output=True, text=True
        )
        return {path: (root / path).read_text(encoding="utf-8") if path in sources else files[path] for path in files}
