"""Settings of the documentation site: ``make docs`` writes it to docs/_build/html, without using the network."""

import sys
from pathlib import Path

import wassergraph

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))

project = "wassergraph"
project_copyright = "the wassergraph developers"
version = release = wassergraph.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "mathml",  # docs/_extensions
    "package_names",  # likewise
    "page_headings",  # likewise
    "public_members",  # likewise
    "repository_links",  # likewise
]
# The notes are parts of other pages.
exclude_patterns = ["_build", "reproduction/notes", "beyond/notes", "benchmarks/notes"]

# Every reference must have a target. Types of parameters are prose, in numpydoc's own form, and are no references.
nitpicky = True
# Names of other libraries have no pages here: their inventories would have to be downloaded.
nitpick_ignore_regex = [("py:.*", r"(concurrent|dask|joblib|matplotlib|networkx|numpy|pandas|rdkit|scipy|sklearn)\b.*")]
numpydoc_xref_param_type = False
autodoc_typehints = "none"
autodoc_preserve_defaults = True

autosummary_generate = True
templates_path = ["_templates"]
numpydoc_show_class_members = False  # the template of classes lists them

myst_enable_extensions = ["dollarmath", "amsmath", "colon_fence", "deflist"]
myst_heading_anchors = 4
myst_links_external_new_tab = False
# Pages that are rendered by GitHub, too, may begin sections at any level: RESULTS.md is included below a heading.
suppress_warnings = ["myst.header"]

html_theme = "pydata_sphinx_theme"
html_math_renderer = "mathml"
html_title = f"wassergraph {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "github_url": "https://github.com/wassergraph/wassergraph",
    "show_prev_next": False,
    "navbar_align": "left",
    "header_links_before_dropdown": 5,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {"index": [], "changelog": []}

# Pages that an earlier build has made of scripts that are gone.
for page in Path(__file__).parent.glob("gallery/plot_*.rst"):
    if not (Path(__file__).parents[1] / "examples" / "gallery" / f"{page.stem}.py").exists():
        page.unlink()

sphinx_gallery_conf = {
    "examples_dirs": "../examples/gallery",
    "gallery_dirs": "gallery",
    "backreferences_dir": "gallery/backreferences",
    "doc_module": ("wassergraph",),
    "reference_url": {"wassergraph": None},
    "image_scrapers": ("figures.scrape_figures",),
    "ignore_repr_types": r"matplotlib",
    "within_subsection_order": "gallery_order.GalleryOrder",
    "show_signature": False,
    "show_memory": False,
    "write_computation_times": False,
    "min_reported_time": 2,
    "download_all_examples": False,
    "remove_config_comments": True,
    "abort_on_example_error": True,
    "recommender": {"enable": False},
}
