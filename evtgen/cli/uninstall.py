"""``evtgen uninstall``: remove evtgen's files from a Catlass checkout."""

from __future__ import annotations

from collections.abc import Callable

from ..options import UninstallOptions
from ..report.files import below, removed, repaired
from ..system.translation import tr
from ..system.words import number
from .options import Catlass, Json
from .outcome import call, print_json
from .records import takes


@takes(UninstallOptions)
def uninstall(catlass: Catlass, options: Callable[[], UninstallOptions], as_json: Json = False) -> None:
    """Remove from a Catlass checkout the files that evtgen added, and give back those that they replaced."""
    from ..pipeline.install import uninstall as out_of

    done = call(lambda: out_of(catlass, options()), as_json=as_json)
    if as_json:
        print_json(done.to_json())
        return
    for note in done.notes:
        print(note)
    changed = below(done.written, done.checkout.root)
    repaired(changed)
    for path in changed.restored:
        print(tr("restored {path}", path=path))
    removed(changed)
    count, back = len(changed.removed), len(changed.restored)
    files = number(count, tr("{count} file{s} removed")) + (tr(", {count} restored", count=back) if back else "")
    print(files if count or back else tr("evtgen has added nothing there"))
