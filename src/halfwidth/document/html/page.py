"""A document as one HTML file, with its style, its script and its pictures inside."""

from __future__ import annotations

import base64
import functools
import hashlib
from collections.abc import Iterable, Iterator
from importlib import resources
from xml.etree.ElementTree import Element

from halfwidth.document.html.columns import align
from halfwidth.document.html.elements import element, markup, slug
from halfwidth.document.html.tables import table_element
from halfwidth.document.parts import (
    TO_DO,
    Adaptive,
    Code,
    Document,
    Excerpt,
    Figure,
    Heading,
    Items,
    Note,
    Paragraph,
    Part,
    Section,
    Table,
)

PLAIN_TITLE = "halfwidth"


def render_html(document: Document) -> str:
    """The whole page: no part of it comes from elsewhere, and nothing else may run in it."""
    title = document.title or PLAIN_TITLE
    style, script = _file("style.css"), _file("script.js")
    sections = [part for part in document.parts if isinstance(part, Section)]
    contents = _contents(sections) if len(sections) > 1 else None
    main = element("main", *body(document.parts, title=title), id="content")
    align(main)
    policy = (
        f"default-src 'none'; img-src data:; style-src {_hash(style)}; "
        f"script-src {_hash(script)}; base-uri 'none'; form-action 'none'"
    )
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="referrer", content="no-referrer"),
        element("title", title),
        element("style", style),
    )
    skip = element("a", "Skip to the content", href="#content", class_="skip")
    top = element("header", element("h1", title))
    page = element("body", skip, top, contents, main, element("script", script), class_="page")
    return f"<!DOCTYPE html>\n{markup(element('html', head, page, lang='en'))}\n"


def render_fragment(document: Document) -> str:
    """The parts alone with their style, for a notebook, where no link leads anywhere."""
    # Named twice, the class outweighs what a notebook says of all tables, whose colours are others.
    style = _file("style.css").replace(".page", ".page.page")
    fragment = element("div", element("style", style), *body(document.parts, level=4))
    fragment.set("class", "page")
    align(fragment)
    for one in fragment.iter("a"):
        one.tag = "span"
        del one.attrib["href"]
    return markup(fragment)


def body(parts: Iterable[Part], level: int = 2, title: str = "") -> Iterator[Element]:
    """Elements of parts; titles of sections begin at a level, and tables are called by them."""
    nearest = title
    for part in parts:
        match part:
            case Adaptive():
                yield from body(part.page() if part.page else part.full, level, nearest)
            case Section():
                yield _section(part, level)
            case Table():
                yield table_element(part, nearest)
            case _:
                if isinstance(part, Heading):
                    nearest = f"{title}: {part.text}" if title else part.text
                node = _block(part, level)
                if node is not None:
                    yield node


def _section(part: Section, level: int) -> Element:
    name = part.name or slug(part.title)
    inner = list(body(part.parts, level + 1, part.title))
    title = element(f"h{min(level, 6)}", part.title)
    if part.folded:
        return element("details", element("summary", title), *inner, id=name)
    return element("section", title, *inner, id=name)


def _block(part: Part, level: int) -> Element | None:
    node = None
    match part:
        case Heading(text):
            node = element(f"h{min(level, 6)}", text)
        case Paragraph(text):
            node = element("p", text)
        case Note(text):
            node = element("p", text, class_="note")
        case Items():
            node = _items(part, level)
        case Code(lines):
            node = element("pre", element("code", "\n".join(lines)), tabindex="0")
        case Excerpt():
            node = _excerpt(part)
        case Figure():
            node = _figure(part)
    return node


def _items(part: Items, level: int) -> Element | None:
    if not part.items:
        return None
    title = element(f"h{min(level, 6)}", part.title) if part.title else None
    if not any(item.term for item in part.items):
        return element("div", title, element("ul", *(element("li", i.whole) for i in part.items)))
    listed = element("dl")
    for item in part.items:
        term: Element | str = item.term
        if item.code:
            term = element("a", item.term, href=f"#{item.code.lower()}", class_="code")
        remedy = None
        if item.remedy:
            remedy = element("div", element("strong", TO_DO), f" {item.remedy}", class_="remedy")
        listed.extend((element("dt", term), element("dd", item.text, remedy)))
    return element("div", title, listed)


def _excerpt(part: Excerpt) -> Element:
    text = (
        element("pre", element("code", part.text), tabindex="0")
        if part.language
        else element("blockquote", element("p", part.text))
    )
    # Shown by the script, without which it could do nothing.
    button = element("button", "Copy", type="button", class_="copy", hidden="")
    return element("div", text, button, class_="excerpt")


def _figure(part: Figure) -> Element | None:
    if part.pictures is None:
        return None
    pages = [base64.b64encode(page).decode() for page in part.pictures()]
    images = [
        element(
            "img",
            src=f"data:image/png;base64,{data}",
            alt=part.caption + (f" (page {number} of {len(pages)})" if len(pages) > 1 else ""),
        )
        for number, data in enumerate(pages, 1)
    ]
    return element("figure", element("figcaption", part.caption), *images)


def _contents(sections: Iterable[Section]) -> Element:
    links = (
        element("li", element("a", part.title, href=f"#{part.name or slug(part.title)}"))
        for part in sections
    )
    return element("nav", element("ol", *links), aria_label="Contents")


def _hash(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"


@functools.cache
def _file(name: str) -> str:
    """A file of this package."""
    return (resources.files(__package__) / name).read_text(encoding="utf-8").strip()
