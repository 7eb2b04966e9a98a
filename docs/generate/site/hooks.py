"""The hooks of mkdocs: pages that are not in ``docs/``, and links as the site needs them."""

from __future__ import annotations

import posixpath
import re
from copy import copy
from functools import partial
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page
from mkdocs.utils.templates import TemplateContext

from docs.generate import reports, tutorial
from docs.generate.languages import named
from docs.generate.site import notebook, playground
from docs.generate.site.entries import FOLDER, REPORTS, entries_in, picture_of
from docs.generate.site.links import OUTSIDE, SOURCES, moved, place_of, source_of, targets
from evtgen.system.translation import LANGUAGES

CHECKOUT = Path(__file__).parents[3]

_ENTRY = re.compile(r"\[`(\w+)`\]\(\.\./examples/gallery/\w+\.py\)")
"""How the gallery's table names an epilogue; in the site it has a page."""

_REPORT = {"en": "report", "zh": "报告"}
"""What the gallery's table calls the report of an epilogue."""

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
    for language in LANGUAGES:
        reported = reports.made(language)
        for name, report in reported.items():
            add(REPORTS + reports.place_of(name, language), report)
        for entry in entries_in(language, reported):
            linked.add(entry.file)
            add(FOLDER + named(entry.name, language), entry.page)
            add(FOLDER + picture_of(entry.name, language), entry.picture)
    for name, content in playground.files().items():
        add(f"{playground.FOLDER}{name}", content)
    for path in sorted(linked):
        place = place_of(path)
        if place.startswith(SOURCES) and (CHECKOUT / path).exists():
            add(place, _listing(path) if (CHECKOUT / path).is_dir() else _source(path))
    return files


def on_nav(nav: Navigation, *, config: MkDocsConfig, files: Files) -> Navigation:
    """The last page of a language does not lead on to the first of another."""
    for page in nav.pages:
        after = page.next_page
        if after is not None and _language(after) != _language(page):
            page.next_page = after.previous_page = None
    return nav


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """The text with the links of the site."""
    uri, language = page.file.src_uri, _language(page)
    page.meta["same"] = {one: _same(page, one, files) for one in LANGUAGES}
    if uri.startswith((SOURCES, TABLES)):
        page.meta["search"] = {"exclude": True}
    if "\n## " not in markdown or uri in ("gallery.md", "gallery.zh.md"):
        page.meta["hide"] = ["toc"]  # which would be empty, or is the filter; tables take its place
    if uri.startswith((SOURCES, TABLES)):
        return markdown
    if uri == "sabotage.md":
        markdown += "".join(f"\n[All changes: {path.stem}]({TABLES}{path.name})\n" for path in _tables())
    if uri in ("gallery.md", "gallery.zh.md"):
        markdown = _ENTRY.sub(partial(_linked, files, language), markdown)
        markdown += '\n<script src="assets/gallery.js"></script>\n'
    return moved(markdown, source_of(uri), uri)


def _linked(files: Files, language: str, entry: re.Match[str]) -> str:
    """An entry of the gallery's table as the site has it: with its page, and its report where that was made."""
    name = entry[1]
    report = REPORTS + reports.place_of(name, language)
    link = f" ([{_REPORT[language]}]({report}))" if report in files.src_uris else ""
    return f"[`{name}`]({FOLDER}{named(name, language)}){link}"


def on_page_context(context: TemplateContext, *, page: Page, config: MkDocsConfig, nav: Navigation) -> TemplateContext:
    """The words around a page, what says its language to browsers and those who have it read to them, the pages of
    that language alone, and the way to the same page in another one."""
    language = _language(page)
    config.theme["language"] = language
    config.extra["alternate"] = [
        {"name": name, "link": page.meta["same"][one], "lang": one} for one, name in LANGUAGES.items()
    ]
    own = copy(nav)
    own.items = [section for section in nav.items if _language(section.children[0]) == language]
    own.homepage = own.items[0].children[0]
    context["nav"] = own
    return context


def _language(page: Page) -> str:
    return next((one for one in LANGUAGES if page.file.src_uri.endswith(f".{one}.md")), "en")


def _same(page: Page, language: str, files: Files) -> str:
    """The address of a page in a language; of the first page of the language if there is none."""
    source = source_of(page.file.src_uri).removesuffix(".md").removesuffix(f".{_language(page)}")
    places = [place_of(named(name, language)) for name in (source, "README")]
    return next(file.url for place in places if (file := files.get_file_from_path(place)))


def _tables() -> list[Path]:
    return sorted((CHECKOUT / "build" / "sabotage").glob("*.md"))


def _source(path: str) -> str:
    language = {".py": "python", ".hpp": "cpp", ".cpp": "cpp", ".h": "cpp"}.get(Path(path).suffix, "text")
    return f"# `{path}`\n\n````{language}\n{(CHECKOUT / path).read_text(encoding='utf-8')}````\n"


def _listing(path: str) -> str:
    files = sorted((CHECKOUT / path).glob("*.*"))
    lines = [f"- [`{file.name}`]({posixpath.basename(path)}/{file.name}.md)" for file in files]
    return f"# `{path}/`\n\n" + "\n".join(lines) + "\n"
