"""The hooks of mkdocs: pages that are not in ``docs/``, and links as the site needs them."""

from __future__ import annotations

import posixpath
import re
from functools import partial
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page
from mkdocs.utils.templates import TemplateContext

from docs.generate import reports, tutorial
from docs.generate.site import notebook, playground
from docs.generate.site.entries import FOLDER, REPORTS, entries
from docs.generate.site.links import OUTSIDE, SOURCES, moved, place_of, source_of, targets

CHECKOUT = Path(__file__).parents[3]

_ENTRY = re.compile(r"\[`(\w+)`\]\(\.\./examples/gallery/\w+\.py\)")
"""How the gallery's table names an epilogue; in the site it has a page."""

TABLES = "sabotage/"
"""Where the tables of `make sabotage` are: long lists of file names, which would be most of what the search finds."""


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Adds the pages that are made here."""

    def add(uri: str, content: str | bytes) -> None:
        files.append(File.generated(config, uri, content=content))

    linked: set[str] = set()
    for file in files.documentation_pages():
        linked |= targets(file.content_string, source_of(file.src_uri))
    for name in OUTSIDE:
        text = (CHECKOUT / name).read_text(encoding="utf-8")
        linked |= targets(text, name)
        add(place_of(name), text)
    for table in _tables():
        add(f"{TABLES}{table.name}", table.read_text(encoding="utf-8"))
    for name in tutorial.NAMES.values():
        add(f"{Path(name).stem}.md", notebook.page(CHECKOUT / "docs" / name))
    reported = reports.made()
    for name, report in reported.items():
        add(f"{REPORTS}{name}/index.html", report)
    for entry in entries(reported):
        linked.add(entry.file)
        add(f"{FOLDER}{entry.name}.md", entry.page)
        add(f"{FOLDER}{entry.name}.svg", entry.picture)
    for name, content in playground.files().items():
        add(f"{playground.FOLDER}{name}", content)
    for path in sorted(linked):
        place = place_of(path)
        if place.startswith(SOURCES) and (CHECKOUT / path).exists():
            add(place, _listing(path) if (CHECKOUT / path).is_dir() else _source(path))
    return files


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """The text with the links of the site."""
    uri = page.file.src_uri
    if uri.startswith((SOURCES, TABLES)):
        page.meta["search"] = {"exclude": True}
    if "\n## " not in markdown or uri in ("gallery.md", "gallery.zh.md"):
        page.meta["hide"] = ["toc"]  # which would be empty, or is the filter; tables take its place
    if uri.startswith((SOURCES, TABLES)):
        return markdown
    if uri == "sabotage.md":
        markdown += "".join(f"\n[All changes: {path.stem}]({TABLES}{path.name})\n" for path in _tables())
    if uri in ("gallery.md", "gallery.zh.md"):
        markdown = _ENTRY.sub(partial(_linked, files), markdown)
        markdown += '\n<script src="assets/gallery.js"></script>\n'
    return moved(markdown, source_of(uri), uri)


def _linked(files: Files, entry: re.Match[str]) -> str:
    """An entry of the gallery's table as the site has it: with its page, and its report where that was made."""
    name = entry[1]
    report = f"{REPORTS}{name}/index.html"
    return f"[`{name}`]({FOLDER}{name}.md)" + (f" ([report]({report}))" if report in files.src_uris else "")


def on_page_context(context: TemplateContext, *, page: Page, config: MkDocsConfig, nav: Navigation) -> TemplateContext:
    """The words around a page, and what says its language to browsers and those who have it read to them."""
    config.theme["language"] = "zh" if page.file.src_uri.endswith(".zh.md") else "en"
    return context


def _tables() -> list[Path]:
    return sorted((CHECKOUT / "build" / "sabotage").glob("*.md"))


def _source(path: str) -> str:
    language = {".py": "python", ".hpp": "cpp", ".cpp": "cpp", ".h": "cpp"}.get(Path(path).suffix, "text")
    return f"# `{path}`\n\n````{language}\n{(CHECKOUT / path).read_text(encoding='utf-8')}````\n"


def _listing(path: str) -> str:
    files = sorted((CHECKOUT / path).glob("*.*"))
    lines = [f"- [`{file.name}`]({posixpath.basename(path)}/{file.name}.md)" for file in files]
    return f"# `{path}/`\n\n" + "\n".join(lines) + "\n"
