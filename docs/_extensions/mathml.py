"""Render formulas as MathML, which browsers show without a script, a font or the network.

docutils translates LaTeX to MathML by itself. MathJax and KaTeX would need a copy of their scripts and fonts in the
site, and a formula would appear only after they have run.
"""

from __future__ import annotations

import re
from html import escape
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util.logging import getLogger
from sphinx.util.math import get_node_equation_number
from sphinx.writers.html5 import HTML5Translator

_logger = getLogger(__name__)
# The bars of \lvert … \rvert and \lVert … \rVert, which browsers stretch and space differently unless told not to.
_BARS = re.compile(r'<mo( class="mathopen")?>([|‖])</mo>')


def _bar(match: re.Match[str]) -> str:
    form = "prefix" if match[1] else "postfix"
    return f'<mo stretchy="false" form="{form}">{match[2]}</mo>'


def mathml(node: nodes.Node, as_block: bool) -> str:
    """Return the MathML of a formula, or its LaTeX and a warning if docutils cannot translate it."""
    try:
        text = str(tex2mathml(node.astext(), as_block=as_block))
        return text if as_block else _BARS.sub(_bar, text)
    except MathError as error:
        _logger.warning("formula: %s", error, location=node)
        return f"<code>{escape(node.astext())}</code>"


def visit_math(translator: HTML5Translator, node: nodes.math) -> None:
    """Write a formula within a line of text."""
    translator.body.append(mathml(node, as_block=False))
    raise nodes.SkipNode


def visit_math_block(translator: HTML5Translator, node: nodes.math_block) -> None:
    """Write a formula on lines of its own, with its number if it has one."""
    attributes: dict[str, Any] = {"ids": node["ids"]} if node["ids"] else {}
    translator.body.append(translator.starttag(node, "div", CLASS="formula", **attributes))
    translator.body.append(mathml(node, as_block=True))
    if node["number"]:
        translator.body.append(f'<span class="eqno">({get_node_equation_number(translator, node)})</span>')
    translator.body.append("</div>\n")
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    """Register the renderer, which ``html_math_renderer = "mathml"`` chooses."""
    app.add_html_math_renderer("mathml", (visit_math, None), (visit_math_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
