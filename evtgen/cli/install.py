"""``evtgen install``: add files to a Catlass checkout."""

from __future__ import annotations

from collections.abc import Callable

from ..options import InstallOptions
from ..report.files import below, written
from ..system.translation import tr
from .options import Catlass, Json, Specs
from .outcome import call, print_diagnostics, print_json
from .records import takes


@takes(InstallOptions)
def install(specs: Specs, catlass: Catlass, options: Callable[[], InstallOptions], as_json: Json = False) -> None:
    """Add the framework and the epilogues to a Catlass checkout; without --replace no file of its own is changed."""
    from ..pipeline.install import install as into

    done = call(lambda: into(specs, catlass, options()), as_json=as_json)
    if as_json:
        print_json(done.to_json())
        return
    print_diagnostics(list(done.diagnostics))
    if options().diff:
        print(done.patch, end="")
        return
    for note in done.notes:
        print(note)
    if options().dry_run:
        print(tr("nothing is written; without --dry-run:"))
    written(below(done.written, done.checkout.root), every=options().dry_run)
