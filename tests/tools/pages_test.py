#!/usr/bin/env python3
"""The Markdown pages lead somewhere: relative links and anchors exist, pictures have descriptions, and the index of decisions is complete."""

import re
import sys
import tempfile
import unittest
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from pages import CODE, ELSEWHERE, PICTURE, anchors_of, pages, prose, tags_of, targets_of  # noqa: E402


def broken_links(page, root):
    """What is wrong with the relative links of a page, a line each."""
    for number, target in targets_of(page.read_text()):
        if ELSEWHERE.match(target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / unquote(path)).resolve() if path else page.resolve()
        where = f"{page.relative_to(root)}:{number}: {target}"
        if not file.is_relative_to(root.resolve()):
            yield f"{where}: leads out of the repository"
        elif not file.exists():
            yield f"{where}: there is no such file"
        elif anchor and file.suffix == ".md" and unquote(anchor) not in anchors_of(file.read_text()):
            yield f"{where}: the page has no such heading"


def undescribed_pictures(page, root):
    """Pictures of a page without a description for those who do not see them, a line each."""
    for number, line in prose(page.read_text()):
        plain = CODE.sub("", line)
        texts = PICTURE.findall(plain) + [attributes.get("alt", "") for name, attributes in tags_of(plain) if name == "img"]
        if not all(text.strip() for text in texts):
            yield f"{page.relative_to(root)}:{number}: a picture without a description"


def missing_in_index(folder):
    """Decisions of a folder without a row in its index, and rows of the index without a decision."""
    listed = re.findall(r"^\| \[(\d{4})\]\((\1-[\w-]+\.md)\) \|", (folder / "README.md").read_text(), re.MULTILINE)
    rows = [name for _, name in listed]
    records = [record.name for record in sorted(folder.glob("[0-9]*.md")) if record.name != "0000-template.md"]
    yield from (f"{name}: not in the index" for name in records if name not in rows)
    yield from (f"{name}: in the index, but there is none" for name in rows if name not in records)
    yield from (f"{name}: twice in the index" for name in sorted(set(rows)) if rows.count(name) > 1)


class Pages(unittest.TestCase):
    maxDiff = None

    def test_link_to_what_exists(self):
        self.assertEqual([problem for page in pages(ROOT) for problem in broken_links(page, ROOT)], [])

    def test_describe_their_pictures(self):
        self.assertEqual([problem for page in pages(ROOT) for problem in undescribed_pictures(page, ROOT)], [])

    def test_list_all_decisions(self):
        self.assertEqual(list(missing_in_index(ROOT / "docs" / "adr")), [])

    def test_are_found(self):
        found = {str(page.relative_to(ROOT)) for page in pages(ROOT)}
        self.assertLessEqual({"README.md", "docs/user-guide.md", "bankfull/workloads/npb/README.md"}, found)


class Checks(unittest.TestCase):
    """That the checks above find what they look for."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        (self.root / "docs").mkdir()

    def write(self, name, text):
        path = self.root / name
        path.write_text(text)
        return path

    def problems_of(self, text):
        """How the checks of links end on a page docs/page.md."""
        return [problem.rsplit(": ", 1)[1] for problem in broken_links(self.write("docs/page.md", text), self.root)]

    def test_anchors_are_those_of_the_hosting_sites(self):
        text = "# A `--flag` of x_y, 5 %\n\n```\n# no heading\n```\n## [Linked](a.md#b) (part)\n## Twice\n## Twice\n<a id=\"own\"></a>\n"
        self.assertEqual(anchors_of(text), {"a---flag-of-x_y-5-", "linked-part", "twice", "twice-1", "own"})

    def test_links_to_missing_files_and_headings_are_found(self):
        self.write("docs/other.md", "# There\n")
        self.assertEqual(self.problems_of("# Here\n[a](other.md) [b](other.md#there) [c](#here) [d](../docs) [e](https://example.org/x#y)\n"), [])
        for text in ("[a](missing.md)", "![a](missing.png)", "[a]: missing.md", '<img alt="a" src="missing.svg">', '<source srcset="missing.svg">',
                     '[a](missing.md "title")', "[![a](other.md)](missing.md)"):
            self.assertEqual(self.problems_of(text), ["there is no such file"], text)
        for text in ("[a](other.md#here)", "[a](#there)"):
            self.assertEqual(self.problems_of(text), ["the page has no such heading"], text)
        self.assertEqual(self.problems_of("[a](../../x.md)"), ["leads out of the repository"])

    def test_code_is_no_link(self):
        self.assertEqual(self.problems_of("`[a](b.md)`\n```\n[a](b.md)\n```\n~~~\n```\n[a](b.md)\n~~~\n"), [])
        self.assertEqual(len(self.problems_of("```\n```\n[a](b.md)\n")), 1)

    def test_pictures_without_descriptions_are_found(self):
        for text, count in (("![a](b.png)", 0), ("![](b.png)", 1), ("![ ](b.png)", 1), ('<img alt="a" src="b">', 0), ('<img src="b">', 1), ('<img alt="" src="b">', 1)):
            page = self.write("docs/page.md", text)
            self.assertEqual(len(list(undescribed_pictures(page, self.root))), count, text)

    def test_decisions_that_the_index_lacks_are_found(self):
        folder = self.root / "docs"
        self.write("docs/0000-template.md", "# 0000: Title\n")
        self.write("docs/0001-one.md", "# 0001: One\n")
        row = "| [0001](0001-one.md) | One | accepted |\n"
        self.write("docs/README.md", row)
        self.assertEqual(list(missing_in_index(folder)), [])
        self.write("docs/0002-two.md", "# 0002: Two\n")
        self.assertEqual(list(missing_in_index(folder)), ["0002-two.md: not in the index"])
        self.write("docs/README.md", row + row + "| [0002](0002-two.md) | Two | accepted |\n| [0003](0003-three.md) | Three | accepted |\n")
        self.assertEqual(list(missing_in_index(folder)), ["0003-three.md: in the index, but there is none", "0001-one.md: twice in the index"])


if __name__ == "__main__":
    unittest.main()
