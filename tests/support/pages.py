"""The pages in Chinese, and the text of a page."""

from __future__ import annotations

import json
from pathlib import Path

from .paths import CHECKOUT

PAGES = [*sorted(CHECKOUT.glob("*.zh.md")), *sorted((CHECKOUT / "docs").rglob("*.zh.*"))]


def text_of(page: Path) -> str:
    """The text of a page; of a notebook its cells, those of code in fences."""
    text = page.read_text(encoding="utf-8")
    if page.suffix != ".ipynb":
        return text
    cells = ((cell["cell_type"], "".join(cell["source"])) for cell in json.loads(text)["cells"])
    return "\n\n".join(source if kind == "markdown" else f"```py\n{source}\n```" for kind, source in cells) + "\n"
