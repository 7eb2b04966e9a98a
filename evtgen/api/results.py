"""What the functions of the Python API return: lists of plain records, which show themselves as the commands do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ..diagnostics.diagnostic import Diagnostic, has_errors, render
from ..diagnostics.run import NOT_VERIFIED
from ..pipeline import partition
from ..report import measurements, partitions, plans, tuning, verification
from ..report.console import fine, printed
from ..system.translation import tr

if TYPE_CHECKING:
    from rich.console import Console

    from ..frontend.dispatch import Dispatch
    from ..graph.ir import Epilogue
    from ..measure.accuracy import Accuracy
    from ..measure.profile import Profile  # noqa: F401 - in the base of a class
    from ..pipeline.tune import Tuning  # noqa: F401
    from ..planner.plan import Plan
    from ..verify import Result  # noqa: F401

One = TypeVar("One")


class _Shown(list[One], Generic[One]):
    """A list that shows itself as a command shows it: at a prompt as text, in a notebook with its colours and tables.

    Attributes:
        warnings: diagnostics of the epilogues that are no errors.
    """

    def __init__(self, found: Iterable[One], warnings: Sequence[Diagnostic] = ()) -> None:
        super().__init__(found)
        self.warnings = list(warnings)

    def _print(self, out: Console) -> None:
        raise NotImplementedError

    def __repr__(self) -> str:
        return printed(self._print)

    __str__ = __repr__


class Checks(_Shown[Diagnostic]):
    """The diagnostics of epilogues.

    Attributes:
        epilogues: the names of those that were checked.
        operators: how near your own operators are to their numpy functions; None if that was not asked for.
    """

    def __init__(
        self, found: Sequence[Diagnostic], epilogues: Sequence[str], operators: list[Accuracy] | None = None
    ) -> None:
        super().__init__(found)
        self.epilogues = list(epilogues)
        self.operators = operators

    @property
    def ok(self) -> bool:
        """Whether none of them is an error, and no operator is wrong."""
        return not has_errors(self) and all(one.ok for one in self.operators or ())

    def _print(self, out: Console) -> None:
        if self:
            from rich.text import Text

            out.print(Text.from_ansi(render(self, color=True)), soft_wrap=True)
        if not has_errors(self):
            out.print(fine(self.epilogues), markup=False, soft_wrap=True)
        if self.operators is not None:
            measurements.accuracies(self.operators, out)

    def _repr_html_(self) -> str:
        from .html import text

        return text(self._print, wrap=True)


class Results(_Shown["Result"]):
    """The results of a verification: a record per epilogue, shape and kind of data.

    It is true if all are ok, so that a test may say ``assert evt.verify(e)``.
    """

    @property
    def ok(self) -> bool:
        """Whether all are ok."""
        return all(result.ok for result in self)

    def __bool__(self) -> bool:
        return self.ok

    def require(self) -> Results:
        """Itself. Raises EvtgenError (EVT204) with the text of every fault if a result is not ok."""
        failed = [result for result in self if not result.ok]
        if failed:
            faults = verification.paragraphs(failed)
            names = ", ".join(dict.fromkeys(result.epilogue for result in failed))
            message = "\n".join(
                [
                    tr(
                        "{count} of {count2} run{s} failed, of {names}",
                        count=len(failed),
                        count2=len(self),
                        s="" if len(self) == 1 else "s",
                        names=names,
                    ),
                    *faults,
                ]
            )
            raise NOT_VERIFIED.error(message, status=1)
        return self

    def _print(self, out: Console) -> None:
        verification.results(self, out)

    def _repr_html_(self) -> str:
        from .html import table, text

        return table(verification.table(self)) + text(lambda out: verification.remarks(self, out), wrap=True)


class Profiles(_Shown["Profile"]):
    """Profiles: a record per epilogue and number of buffers."""

    def _print(self, out: Console) -> None:
        measurements.profiles(self, out)

    def _repr_html_(self) -> str:
        from .html import table, text
        from .pictures import timelines

        below = text(lambda out: measurements.profile_remarks(self, out), wrap=True)
        return table(measurements.profile_table(self)) + timelines(self) + below


class Tunings(_Shown["Tuning"]):
    """The fastest kernels: a record per epilogue and shape, and one for all shapes."""

    def dispatch(self, epilogue: Epilogue) -> Dispatch:
        """An epilogue with a kernel for the rows of each shape that it was tuned for; that for most serves all others.

        Raises:
            EvtgenError: it was not tuned for its architecture (EVT079).
        """
        from ..frontend.dispatch import Dispatch, applied
        from ..pipeline.winners import by_rows

        options, upto = by_rows(epilogue, self)
        return Dispatch(applied(epilogue, options), upto)

    def _print(self, out: Console) -> None:
        tuning.tunings(self, out)

    def _repr_html_(self) -> str:
        from .html import table, text

        return table(tuning.tuning_table(self)) + text(lambda out: tuning.tuning_remarks(self, out), wrap=True)


class Explanations(_Shown[dict[str, Any]]):
    """Descriptions of epilogues: a dict for each."""

    def __init__(
        self, found: Sequence[dict[str, Any]], warnings: Sequence[Diagnostic], planned: Sequence[Plan]
    ) -> None:
        super().__init__(found, warnings)
        self._plans = planned

    def _print(self, out: Console) -> None:
        for described in self:
            plans.plan(described, out)

    def _repr_html_(self) -> str:
        from .html import text
        from .pictures import graph

        def each(described: dict[str, Any], plan: Plan) -> str:
            return graph(plan) + text(lambda out: plans.plan(described, out))

        return "".join(map(each, self, self._plans))


class Partition(partition.Partition):
    """A model as kernels and what is left to PyTorch, which shows itself as ``evtgen partition`` does."""

    def report(self, output: str | Path, *, force: bool = False) -> Path:
        """Write a page about the kernels, ``index.html``, into a directory, and return its path.

        Raises:
            EvtgenError: there is a page that was edited, or a file that evtgen did not write (EVT080), unless
                ``force``; or it cannot be written (EVT095).
        """
        from ..options import path
        from ..report.page.partition import report

        return report(self, path(output), force=force)

    def __repr__(self) -> str:
        return printed(lambda out: partitions.partition(self, out))

    def _repr_html_(self) -> str:
        from .html import table, text

        shown = table(partitions.kernels(self)) + (table(partitions.rest(self)) if self.rest else "")
        return shown + text(lambda out: out.print(partitions.summary(self), markup=False), wrap=True)
