"""ExplorerPage: a page that shows a collection of graphs."""

from __future__ import annotations

import html
from dataclasses import dataclass, field
from pathlib import Path

from wassergraph.errors import InputError, Option
from wassergraph.files.atomic import check_target, write_atomically
from wassergraph.graphs.invariants import count

_ENDING, _PATH = ".html", Option("path")
#: The height of the page in a notebook, in pixels.
_HEIGHT = 900


@dataclass(frozen=True, eq=False)
class ExplorerPage:
    """A page that shows a collection of graphs, as one HTML file; a notebook shows it as the last line of a cell.

    Attributes
    ----------
    html : str
        The text of the file.
    n_graphs : int
        The number of graphs.
    title : str
        The title of the page.
    n_bytes : int
        The size of the file.

    See Also
    --------
    explore : make a page

    Examples
    --------
    >>> import tempfile, wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> page = wg.explore(graphs[:6], y[:6], metric=wg.WWL(depth=1))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page.save(f"{folder}/page.html")
    >>> page.n_graphs
    6
    """

    html: str = field(repr=False)
    n_graphs: int
    title: str

    @property
    def n_bytes(self) -> int:
        """The size of the file."""
        return len(self.html.encode())

    def save(self, path: str | Path) -> None:
        """Write the page to a file.

        Parameters
        ----------
        path : str or Path
            A file whose name ends with ``.html``. It is written completely or not at all.
        """
        check_page_path(path)
        write_atomically(path, self.html.encode())

    def __repr__(self) -> str:
        return f"ExplorerPage({self.title!r}, {count(self.n_graphs, 'graph')}, {self.n_bytes / 1000:,.0f} kB)"

    def _repr_html_(self) -> str:
        # Scripts run in a page of their own, which can neither read nor change the notebook.
        return (
            f'<iframe srcdoc="{html.escape(self.html)}" title="{html.escape(self.title)}" '
            f'sandbox="allow-scripts allow-downloads" width="100%" height="{_HEIGHT}" style="border:0"></iframe>'
        )


def check_page_path(path: str | Path, option: Option = _PATH) -> None:
    """Raise an error unless a page can be written to a path, which an option names."""
    if Path(path).suffix.lower() != _ENDING:
        raise InputError(f"{{}} must end with {_ENDING}, got {str(path)!r}", options=[option])
    check_target(path)
