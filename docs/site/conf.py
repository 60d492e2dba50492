"""Sphinx reads this for the site that scripts/docs builds. Its source is what tools/docs_site lays out."""

import re
import sys
from pathlib import Path

from docutils import nodes

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from pages import slug  # noqa: E402

project = "bankfull"
author = copyright = "the bankfull authors"
version = re.search(r"^version: (\S+)", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)[1]
release = version

extensions = ["myst_parser"]
myst_heading_anchors = 6
myst_heading_slug_func = slug
myst_all_links_external = True  # tools/docs_site has led them to pages of the site; its check follows them all
html_theme = "furo"
html_title = "bankfull"
html_show_sphinx = False
html_copy_source = False
# html_extra_path, the files that pages link to, comes from scripts/docs
html_theme_options = {"footer_icons": []}
highlight_language = "none"
root_doc = "index"
nitpicky = True


def keep_anchors(_, doctree):
    """Headings keep the anchors that the hosting sites give them, so that links to them hold in both places."""
    for section in doctree.findall(nodes.section):
        anchor = section.get("myst-anchor", "").rpartition("#")[2]
        if anchor and anchor not in section["ids"]:
            section["ids"].append(anchor)


def setup(app):
    app.connect("doctree-read", keep_anchors)
