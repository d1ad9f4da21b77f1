# SPDX-License-Identifier: BSD-3-Clause
"""The documentation site: Sphinx, with MyST for Markdown and Breathe for what Doxygen reads from the headers.

./run docs calls it with -W; XLAZY_DOXYGEN_XML says where Doxygen's output is.
"""
import os

project = "xlazy"
author = "the authors of xlazy"
copyright = author
extensions = ["myst_parser", "breathe"]
source_suffix = {".md": "markdown"}
root_doc = "index"
exclude_patterns = ["examples/**", "site/**"]

myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]

breathe_projects = {"xlazy": os.environ.get("XLAZY_DOXYGEN_XML", "doxygen/xml")}
breathe_default_project = "xlazy"
breathe_default_members = ("members",)
breathe_show_include = False

# Doxygen gives names without their namespaces in places where Sphinx's domain looks them up whole.
nitpicky = False
highlight_language = "none"
pygments_style = "default"

html_theme = "furo"
html_title = "xlazy"
html_static_path = []
html_show_copyright = False
html_show_sphinx = False
html_copy_source = False
