"""The tutorial as a page."""

from __future__ import annotations

from pathlib import Path

_TEMPLATE = """\
{% extends "markdown/index.md.j2" %}
{% block output_group %}
<div class="shown" markdown>
{{ super() }}
</div>
{% endblock %}
"""


def page(path: Path) -> str:
    """The notebook with what its cells have shown, as Markdown."""
    from nbconvert import MarkdownExporter

    text, _ = MarkdownExporter(raw_template=_TEMPLATE).from_filename(str(path))
    return str(text)
