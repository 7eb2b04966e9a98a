"""Spec files: Python modules, JSON documents and EVTs in C++, read into epilogues."""

from __future__ import annotations

import ast
import contextlib
import hashlib
import linecache
import stat
import sys
import types
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ..diagnostics import reading as codes
from ..diagnostics.diagnostic import WRONG_INPUT, Diagnostic, EvtgenError, has_errors
from ..diagnostics.files import SAME_NAME
from ..diagnostics.suggestions import nearest
from ..graph.ir import Epilogue
from ..graph.location import Location
from ..system.translation import tr
from .cpp.paths import SUFFIXES, is_cpp, selected
from .dispatch import Dispatch
from .errors import collecting, diagnostics_of, is_users


def load(paths: Sequence[Path], also: list[Diagnostic] | None = None) -> list[Epilogue]:
    """The epilogues of all spec files, in order of definition.

    A ``.py`` file is run as a module, with its directory on ``sys.path``; every :class:`~evtgen.graph.ir.Epilogue` in
    its namespace counts, once. A ``.json`` file holds the explicit form (see :mod:`evtgen.frontend.schema`). What a
    spec prints goes to stderr. Of a file of C++ every EVT counts, of ``FILE.hpp:NAME`` the one of that name
    (see :mod:`evtgen.frontend.cpp`); what is wrong with some of them, and warnings, go to ``also`` if it is given.

    Raises:
        EvtgenError: with everything that is wrong in all of the files (EVT001 to EVT013), status 2.
    """
    epilogues: list[Epilogue] = []
    wrong: list[Diagnostic] = []
    for path in map(Path, paths):
        try:
            if path.suffix == ".json":
                from .json_form import read

                epilogues += read(_text(path), str(path))
            elif path.suffix == ".py":
                epilogues += _python(path)
            elif is_cpp(path):
                epilogues += _cpp(path, also)
            else:
                _text(path)
                raise _unreadable(path, "kind")
        except EvtgenError as error:
            if error.status != WRONG_INPUT:
                raise  # what the machine lacks, other files lack as well
            wrong += error.diagnostics
    if wrong:
        raise EvtgenError(wrong)
    return epilogues


def _cpp(path: Path, also: list[Diagnostic] | None) -> list[Epilogue]:
    """The EVTs of a file of C++. Raises EvtgenError, if ``also`` is None for each error in one of them."""
    from .cpp.read import read

    file, name = selected(path)
    found = read(file, _bytes(file), name)
    said = [diagnostic for one in found for diagnostic in one.diagnostics]
    if also is None and has_errors(said):
        raise EvtgenError(said)
    if also is not None:
        also += said
    return [one.epilogue for one in found if one.epilogue is not None]


def _text(path: Path) -> str:
    try:
        return _bytes(path).decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError:
        raise _unreadable(path, "text") from None


def _bytes(path: Path) -> bytes:
    try:
        # Of a pipe nobody knows when, and whether, it ends.
        if stat.S_ISREG(path.stat().st_mode):
            return path.read_bytes()
        raise _unreadable(path, "directory" if path.is_dir() else "irregular")
    except (FileNotFoundError, NotADirectoryError):
        raise _unreadable(path, "missing") from None
    except OSError as error:
        raise _unreadable(path, "refused", error=error.strerror) from None
    except ValueError:  # a null character
        raise _unreadable(path, "no path") from None


def _unreadable(path: Path, when: str, **fields: object) -> EvtgenError:
    return codes.UNREADABLE.refusal(when, Location(str(path), 0), help=_nearby(path), path=path, **fields)


def _nearby(path: Path) -> str | None:
    """The spec files that may have been meant: those in a directory, or one with a name like this one's."""
    with contextlib.suppress(OSError, ValueError):
        directory = path if path.is_dir() else path.parent
        kinds = (".py", ".json", *SUFFIXES)
        shown = (p for p in directory.iterdir() if not p.name.startswith("."))
        found = [p for p in shown if p.suffix in kinds and p.is_file() and p != path]
        # Of two with one name, C++ is usually what evtgen has made.
        names = [p.name for p in sorted(found, key=lambda p: (p.suffix in SUFFIXES, p.name))]
        if path.is_dir():
            listed = [str(directory / name) for name in names[:_MOST]] + ["…"] * (len(names) > _MOST)
            return (
                tr("the spec files in it may be {shown}", shown=", ".join(listed))
                if names
                else tr("there is no .py or .json file in it, and none of C++")
            )
        same = [name for name in names if Path(name).stem == path.stem]
        best = same[0] if same else nearest(path.name, names)
        return tr("did you mean {directory}?", directory=directory / best) if best else None
    return None


_MOST = 8
"""Files that are named in one message."""


def _python(path: Path) -> list[Epilogue]:
    text = _text(path)
    file = str(path)
    linecache.checkcache()  # of files that have changed since they were read, diagnostics show the new lines
    try:
        tree = ast.parse(text, file)
        code = compile(tree, file, "exec", dont_inherit=True)
    except SyntaxError as error:
        raise codes.SYNTAX.error(
            f"{type(error).__name__}: {error.msg}", Location(error.filename or file, error.lineno or 0)
        ) from None
    except ValueError as error:  # a null byte
        raise codes.SYNTAX.error(str(error), Location(file, 0)) from None
    except (RecursionError, MemoryError):  # of the parser's own stack, or of the compiler's
        raise codes.SYNTAX.refusal("deep", Location(file, 0)) from None
    # Two specs of one file name are two modules.
    digest = hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:12]
    module = types.ModuleType(f"evtgen_spec_{digest}_{path.stem}")
    module.__file__ = file
    failures: list[Diagnostic] = []
    with _importing(path, module):
        token = collecting.set(failures)
        try:
            exec(code, module.__dict__)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            failures += diagnostics_of(error, file)
        finally:
            collecting.reset(token)
    if failures := failures or list(_forgotten(tree, vars(module), file)):
        raise EvtgenError(failures)
    things = list(vars(module).values())
    dispatches = [thing for thing in things if isinstance(thing, Dispatch)]
    served = {id(dispatch.epilogue) for dispatch in dispatches}
    found = [thing for thing in things if isinstance(thing, Epilogue) and id(thing) not in served]
    found += [kernel for dispatch in dispatches for kernel in dispatch]
    if not found:
        raise codes.EMPTY.refusal(at=Location(file, 0), path=path)
    return list({id(epilogue): epilogue for epilogue in found}.values())


def _forgotten(tree: ast.Module, made: Mapping[str, object], file: str) -> Iterator[Diagnostic]:
    """EVT083 for each epilogue whose name another function takes later."""
    lines: dict[str, int] = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.decorator_list and isinstance(made.get(node.name), Epilogue):
            if line := lines.get(node.name):
                yield SAME_NAME.of("same function", Location(file, node.lineno), name=node.name, line=line)
            lines[node.name] = node.lineno


@contextlib.contextmanager
def _importing(path: Path, module: types.ModuleType) -> Iterator[None]:
    """Run a spec: its directory first on ``sys.path``, its prints on stderr, and its helpers forgotten afterwards.

    Another spec may have helpers of the same names, and a changed helper must be read again.
    """
    directory = str(path.resolve().parent)
    modules, search = set(sys.modules), list(sys.path)
    sys.path.insert(0, directory)
    sys.modules[module.__name__] = module
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        sys.path[:] = search
        del sys.modules[module.__name__]
        for name in set(sys.modules) - modules:
            file = getattr(sys.modules[name], "__file__", None)
            if file and is_users(file, directory):
                del sys.modules[name]
