"""How Markdown pages are read: their prose, links and anchors. For tests/tools/pages_test.py and tools/docs_site."""

import re

# Not build trees and runs, which lie beside the sources: copies of pages there are none of ours.
FOLDERS = (".github", "bankfull", "baselines", "bench", "cases", "docs", "examples", "packaging", "results", "scripts", "tests", "tools")

FENCE = re.compile(r"^\s*(```+|~~~+)")
HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*#*\s*$")
CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)")
LINK = re.compile(r"\]\(\s*<?([^()\s<>]*(?:\([^()\s]*\)[^()\s]*)*)>?(?:\s+\"[^\"]*\")?\s*\)")
REFERENCE = re.compile(r"^\s{0,3}\[[^\]^]+\]:\s*<?(\S+?)>?(?:\s|$)")
PICTURE = re.compile(r"!\[([^\]]*)\](?=[(\[])")
TAG = re.compile(r"<(a|img|source)\b([^>]*)>", re.IGNORECASE)
ATTRIBUTE = re.compile(r"([\w-]+)\s*=\s*\"([^\"]*)\"")
ELSEWHERE = re.compile(r"^(?:[a-z][a-z0-9+.-]*:|//)", re.IGNORECASE)


def pages(root):
    """All Markdown pages of the sources."""
    yield from sorted(root.glob("*.md"))
    for folder in FOLDERS:
        yield from sorted((root / folder).rglob("*.md"))


def prose(text):
    """(line number, line) of a page without its blocks of code."""
    fence = None
    for number, line in enumerate(text.splitlines(), 1):
        mark = FENCE.match(line)
        if fence is None and mark:
            fence = mark.group(1)
        elif fence is None:
            yield number, line
        elif mark and mark.group(1).startswith(fence) and not line.strip().strip(fence[0]):
            fence = None


def tags_of(line):
    """(name, attributes) of the HTML tags in a line that link or show something."""
    for name, attributes in TAG.findall(line):
        yield name.lower(), {key.lower(): value for key, value in ATTRIBUTE.findall(attributes)}


def slug(heading):
    """The anchor that GitHub and GitLab give a heading."""
    shown = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", shown.replace("`", "").strip().lower()).replace(" ", "-")


def anchors_of(text):
    """The anchors of a page: those of its headings, of which equal ones are numbered, and explicit ones."""
    anchors = set()
    for _, line in prose(text):
        heading = HEADING.match(line)
        if heading:
            base = slug(heading.group(1))
            anchor, count = base, 0
            while anchor in anchors:
                count += 1
                anchor = f"{base}-{count}"
            anchors.add(anchor)
        anchors |= {attributes[key] for _, attributes in tags_of(line) for key in ("id", "name") if key in attributes}
    return anchors


def targets_of(text):
    """(line number, target) of everything that a page links to or shows."""
    for number, line in prose(text):
        plain = CODE.sub("", line)
        for target in LINK.findall(plain) + REFERENCE.findall(plain):
            yield number, target
        for _, attributes in tags_of(plain):
            for key in ("href", "src", "srcset"):
                if key in attributes:
                    yield number, attributes[key].split(" ")[0]
