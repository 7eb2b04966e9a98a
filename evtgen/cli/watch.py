"""``evtgen watch``: each time a spec is saved, what is wrong with it, whether it is right, and its page."""

from __future__ import annotations

import os
import sys
import time
import webbrowser
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from ..diagnostics.diagnostic import EvtgenError, render
from ..frontend.cpp.paths import selected
from ..options import WatchOptions
from ..report.console import clear, fine, progress
from ..system.translation import tr
from .options import Specs
from .outcome import INTERRUPTED, call, internal_error, print_diagnostics
from .records import takes

_PAUSE = 0.3
"""Seconds between two looks at the files: less than a person notices."""


@takes(WatchOptions)
def watch(specs: Specs, options: Callable[[], WatchOptions]) -> None:
    """Each time a spec is saved, check it, verify it and show the page about it, until Ctrl-C."""
    chosen = call(options, as_json=False)
    call(_forever, specs, chosen, as_json=False, stdout=True)


def _forever(specs: Sequence[Path], options: WatchOptions) -> None:
    from ..report.page.live import LivePage

    live, seen = LivePage(options.port), None
    try:
        while True:
            if (saved := _saved(specs)) != seen:
                live.show(_page(specs, options))
                print(tr("{address} shows it; Ctrl-C ends", address=live.address), flush=True)
                if seen is None and options.browser and _desktop():
                    webbrowser.open(live.address)
                seen = saved
            time.sleep(_PAUSE)
    except KeyboardInterrupt as signal:
        if getattr(signal, "status", INTERRUPTED) != INTERRUPTED:
            raise  # another signal
        clear()


def _desktop() -> bool:
    """Whether there is a desktop; elsewhere a browser would take over the terminal."""
    return sys.platform == "darwin" or not {"BROWSER", "DISPLAY", "WAYLAND_DISPLAY"}.isdisjoint(os.environ)


def _saved(specs: Sequence[Path]) -> dict[Path, int]:
    """When the specs and the files of their kind beside them, which they may import, were written."""
    found = {}
    for spec in (selected(spec)[0] for spec in specs):
        for path in (spec, *spec.parent.glob(f"*{spec.suffix}")):
            with suppress(OSError):
                found[path] = path.stat().st_mtime_ns
    return found


def _page(specs: Sequence[Path], options: WatchOptions) -> str:
    """Say what is found, and return the page about it, or about what is wrong."""
    try:
        return _found(specs, options)
    except EvtgenError as error:
        wrong = error.diagnostics
    except Exception as error:
        wrong = [internal_error(error)]
    from ..report.page.document import page
    from ..report.page.html import tag

    clear()
    print_diagnostics(wrong)
    title = ", ".join(path.name for path in specs)
    return page([], title=title, overview=tag("pre", render(wrong), class_="wrap"))


def _found(specs: Sequence[Path], options: WatchOptions) -> str:
    from ..pipeline.report import subjects
    from ..pipeline.specs import load_and_check
    from ..report.page.document import page
    from ..report.verification import results as report
    from ..verify import verify_plans

    checked = load_and_check(specs).require()
    print_diagnostics(checked.diagnostics)
    print(fine([epilogue.name for epilogue in checked.epilogues]), flush=True)
    results = []
    if options.run and options.verify:
        results = verify_plans(checked.plans, options.of_verify, progress(), language=True)
        report(results)
        sys.stdout.flush()
    found = subjects(checked, replace(options, verify=False), progress())
    clear()
    return page([replace(one, results=tuple(r for r in results if r.epilogue == one.name)) for one in found])
