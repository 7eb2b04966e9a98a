"""Pictures for people: one self-contained HTML page for the epilogues of a set of specs, and graphs as SVG.

:func:`evtgen.pipeline.report.subjects` makes a :class:`~evtgen.pipeline.report.Subject` of each epilogue:
all its facts, as plain data. Each module of :mod:`evtgen.report.page.sections` has one function ``section``, from a
subject to a :class:`~evtgen.report.page.html.Fragment` (title, anchor, HTML) or to None where there is nothing to show.
The registry :data:`evtgen.report.page.sections.SECTIONS` is the order on the page;
:func:`evtgen.report.page.document.page` sets the fragments into the one template, with the one style sheet and the one
script of ``assets/``.

Conventions of a section:

- It computes no result. It reads the subject and draws it. If its data are missing, for example without runs, it
  returns None, not an empty frame.
- It builds HTML and SVG with :func:`evtgen.report.page.html.tag`, which escapes every string that is not ``Markup``.
  Nothing else makes ``Markup`` from a value.
- The ids of elements are ``subject.id("word")``: the epilogue's name, a hyphen, the word. So several epilogues have one
  page. The section's own id is made from its anchor; a link to another section is ``#`` and ``subject.id(anchor)``.
- Colours are the custom properties at the top of ``page.css`` (``var(--ink)``, ``--paper``, ``--line``, ``--good``,
  ``--bad``, ``--kind-0`` …), in an SVG also ``currentColor``. They have a light and a dark value; no section has
  its own.
- The page is complete without a script, and on paper. The script only adds comfort: it hands an element with
  ``data-widget="name"`` to ``widgets.name`` of ``page.js`` once. :func:`evtgen.report.page.html.tabs` shows one of
  several panels, all of them without a script or on paper. A script reads its numbers from
  :func:`evtgen.report.page.html.data`.
- A thing that is wider than a phone scrolls in its own box, ``tag("div", ..., class_="wide")``; the page itself never
  does.
- Long lists fold: ``tag("details", tag("summary", ...), ...)``; the script opens them all before printing.
- No address of the network occurs in the page, except the names of XML namespaces.
"""
