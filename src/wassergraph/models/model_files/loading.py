"""Load a model: the header names the estimator, and the estimator reads its own state."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from wassergraph.models.graph_model import GraphModel
from wassergraph.models.model_files.archive import ModelFileError, read_model
from wassergraph.models.target_models import TargetModels

#: What reading a state can raise if its parts do not fit together.
_INCONSISTENT = (LookupError, TypeError, ValueError, ArithmeticError, AttributeError, MemoryError)


def load_model(path: str | Path) -> Any:
    """Read a model from a file.

    Parameters
    ----------
    path : str or Path
        A file that the ``save`` method of a model wrote, with this version of the library or an earlier one.

    Returns
    -------
    GraphClassifier, GraphRegressor, GraphGaussianProcess or TargetModels
        The fitted model, of the class that was saved; ``TargetModels`` are those of several targets that ``wassergraph
        train`` wrote, in ``estimators_``. It predicts exactly as the one that was saved. Loading runs no
        code from the file and writes nothing.

    Raises
    ------
    ModelFileError
        If the file is not a model, is damaged or incomplete, or was written by a newer version of the library. It is a
        ``ValueError``.

    See Also
    --------
    GraphClassifier : a model for classes
    GraphRegressor : a model for numbers
    GraphGaussianProcess : a model for numbers and their uncertainty
    load_index : open an index

    Examples
    --------
    >>> import tempfile, wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> model = wg.GraphClassifier(wg.WWL(depth=1), gamma=1.0, C=10.0).fit(graphs, y)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(f"{folder}/demo.wgm")
    ...     loaded = wg.load_model(f"{folder}/demo.wgm")
    >>> bool((loaded.predict(graphs) == model.predict(graphs)).all())
    True
    """
    state = read_model(path)
    name = state.header.get("model")
    try:
        if name == TargetModels.__name__:
            return TargetModels.from_state(state, lambda each: _estimator(each, path))
        return _estimator(name, path).from_state(state)
    except ModelFileError:
        raise
    except _INCONSISTENT as error:
        raise ModelFileError(f"the parts of the model file do not match: {error}", file=path) from error


def _estimator(name: object, path: str | Path) -> type[GraphModel]:
    """Return the public estimator of this name."""
    package = import_module("wassergraph")
    estimator = getattr(package, name, None) if isinstance(name, str) and name in package.__all__ else None
    if not isinstance(estimator, type) or not issubclass(estimator, GraphModel):
        problem = f"the file contains a model of the class {name!r}, which the installed wassergraph does not have"
        raise ModelFileError(problem, remedy="update wassergraph", file=path)
    return estimator
