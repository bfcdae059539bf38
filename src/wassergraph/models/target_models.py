"""TargetModels: one fitted model for each of several targets of the same graphs, in one object and one file.

new graphs ──part by part──▶ distances to all training graphs, once ──▶ what each model says
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from wassergraph.arrays import IntArray
from wassergraph.errors import InputError, Option, did_you_mean
from wassergraph.formats.detect import as_batch
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.columns import ColumnScheme, GraphColumns, read_columns
from wassergraph.graphs.saved_graphs import graph_arrays, graph_header, read_graphs, read_vocabulary
from wassergraph.graphs.saved_values import Arrays
from wassergraph.graphs.values import DecidedTask
from wassergraph.models.fit_targets import fit_targets
from wassergraph.models.graph_model import GraphModel
from wassergraph.models.learning import Asked
from wassergraph.models.model_files.archive import ModelState, write_model
from wassergraph.models.shared_training import share_training
from wassergraph.models.training_graphs import PREDICTIONS
from wassergraph.parallel.estimate import Estimate, announce, whole
from wassergraph.parallel.threads import n_threads
from wassergraph.scores.several import KnownTarget

Said = TypeVar("Said")


class TargetModels:
    """Fitted models of several targets, which compare new graphs with the training graphs once.

    ``wassergraph train --target A B`` writes one, and :func:`wassergraph.load_model` reads it.

    Attributes
    ----------
    estimators_ : list of GraphClassifier, GraphRegressor or GraphGaussianProcess
        The fitted model of each target, whose ``target_name_`` is the name of the target.
    graphs_ : GraphBatch
        All training graphs.
    names_ : (n_train) array of str
        Their names.
    rows_ : list of (n) integers
        The positions of the training graphs of each model: those that have a value of its target.

    Examples
    --------
    >>> import wassergraph as wg
    >>> from wassergraph.scores.several import read_several
    >>> alcohols = ["C" * n + "O" for n in range(1, 11)]
    >>> y = [[float(n), "short" if n < 5 else "long"] for n in range(10)]
    >>> metric = wg.WWL(depth=1, mass="count", kind="categorical")
    >>> models = [wg.GraphRegressor(metric, gamma=0.1, alpha=0.01), wg.GraphClassifier(metric, gamma=0.1, C=10.0)]
    >>> fitted = TargetModels.fit(models, alcohols, read_several(y, 10, ["length", "size"]))
    >>> [found.shape for found in fitted.each("CCO", lambda model, graphs, _: model.predict(graphs))]
    [(1,), (1,)]
    """

    def __init__(
        self, estimators: Sequence[GraphModel], graphs: GraphBatch, names: NDArray[Any], rows: Sequence[IntArray]
    ) -> None:
        self.estimators_, self.graphs_, self.names_, self.rows_ = list(estimators), graphs, names, list(rows)

    @classmethod
    def fit(
        cls, models: Sequence[GraphModel], graphs: Any, known: Sequence[KnownTarget], asked: Asked | None = None
    ) -> Self:
        """Fit models of several targets, with distances that are computed once.

        Parameters
        ----------
        models : sequence of GraphModel
            A model for each target; those of one class have the same parameters.
        graphs : GraphBatch, or graphs of another library
            All graphs.
        known : sequence of KnownTarget
            The targets, and which graphs have a value of each.
        asked : Asked, optional
            What ``fit`` of a model gets besides.

        Returns
        -------
        TargetModels
        """
        batch, asked = as_batch(graphs), asked or Asked()
        with whole("training", progress=models[0].progress):
            training = asked.read(batch)
            rows = fit_targets(models, training, known, asked)
        models[0]._tell_stereo(batch)
        return cls(models, batch, training.names, rows)

    @property
    def target_names_(self) -> list[str]:
        """The names of the targets."""
        return [str(model.target_name_) for model in self.estimators_]

    @property
    def tasks_(self) -> dict[str, DecidedTask]:
        """Whether each target is classes or numbers."""
        tasks: tuple[DecidedTask, DecidedTask] = ("classification", "regression")
        return {str(model.target_name_): tasks[model._learns_numbers] for model in self.estimators_}

    @property
    def source_(self) -> dict[str, Any]:
        """How the training graphs were read."""
        return self.estimators_[0].source_

    def __getitem__(self, name: str) -> GraphModel:
        """Return the model of a target."""
        if name not in self.target_names_:
            problem = f"{{}}: the model has no such target, only {', '.join(map(repr, self.target_names_))}"
            remedy = did_you_mean(name, self.target_names_)
            raise InputError(problem, remedy=remedy, options=[Option("target", name)])
        return self.estimators_[self.target_names_.index(name)]

    def set_params(self, **params: Any) -> Self:
        """Replace parameters of all models, such as ``n_jobs`` and ``progress``."""
        for model in self.estimators_:
            model.set_params(**params)
        return self

    @property
    def columns_(self) -> ColumnScheme | None:
        """What was learned of columns beside the graphs, if there are any."""
        return self.estimators_[0].columns_

    def __repr__(self) -> str:
        models = ", ".join(f"{model.target_name_!r}: {type(model).__name__}" for model in self.estimators_)
        return f"TargetModels({{{models}}})"

    def predict(self, graphs: Any, *, columns: Any = None) -> dict[str, NDArray[Any]]:
        """Predict every target of every graph, by the name of the target.

        Parameters
        ----------
        graphs : GraphBatch, or graphs of another library
            New graphs.
        columns : optional
            Their columns, if the models were trained with some.

        Returns
        -------
        dict of (n_graphs) arrays
            The predicted classes or numbers; ``estimators_``, or ``models[name]``, say more of each target.
        """
        found = self.each(graphs, lambda model, part, own: model.predict(part, columns=own), columns)
        return dict(zip(self.target_names_, found, strict=True))

    def each(
        self, graphs: Any, function: Callable[[Any, GraphBatch, GraphColumns | None], Said], columns: Any = None
    ) -> list[Said]:
        """Call a function with each model and new graphs, whose distances are computed once.

        Parameters
        ----------
        graphs : GraphBatch, or graphs of another library
            New graphs.
        function : callable
            Gets a model, graphs and their columns, and returns arrays with a row for each graph, or tuples of these.
        columns : optional
            The columns of the graphs, if the models need some.

        Returns
        -------
        list
            What it returned for each target.
        """
        batch = as_batch(graphs, self.source_)
        beside = self._read_columns(columns, len(batch))
        largest = max((model._training.compared for model in self.estimators_), key=len)
        parts = largest.parts(len(batch)) or [slice(0, 0)]
        found: list[list[Said]] = [[] for _ in self.estimators_]
        with whole("prediction", progress=self.estimators_[0].progress) as stages:
            if stages.told and len(batch):
                announce(self._foresee(batch), stages)
            for rows in parts:  # distances of all parts may be more than fit in memory
                part = batch if len(parts) == 1 else batch[rows]
                own = None if beside is None else beside.take(np.arange(len(batch))[rows])
                try:
                    for results, model in zip(found, self.estimators_, strict=True):
                        results.append(function(model, part, own))
                finally:
                    for model in self.estimators_:
                        model._training.forget()
        return [_join(results) for results in found]

    def _read_columns(self, columns: Any, n_graphs: int) -> GraphColumns | None:
        """Return the columns of new graphs, filled in once for all targets; the models refuse what they do not need."""
        if columns is None or self.columns_ is None:
            return None if columns is None else read_columns(columns, n_graphs)
        return self.columns_.fill(self.columns_.read(columns, n_graphs))

    def _foresee(self, batch: GraphBatch) -> Estimate:
        """Estimate what the distances of new graphs will take."""
        compared = {id(each): each for each in (model._training.compared for model in self.estimators_)}
        threads = n_threads(self.estimators_[0].n_jobs)
        several = [each.foresee(batch, threads) for each in compared.values()]
        seconds = {PREDICTIONS: sum(each.total for each in several)}
        return replace(several[0], n_pairs=sum(each.n_pairs for each in several), seconds=seconds)

    # Files

    def save(self, path: str | Path) -> None:
        """Write all models to one file, completely or not at all; :func:`wassergraph.load_model` reads it.

        Parameters
        ----------
        path : str or Path
            The file, by convention with the ending .wgm.
        """
        write_model(path, type(self).__name__, self.to_state())

    def to_state(self) -> ModelState:
        """Return the state of all models, with the training graphs once.

        Returns
        -------
        ModelState
            The header and the arrays that :meth:`save` writes.
        """
        graphs = graph_arrays(self.graphs_)
        arrays: Arrays = {**graphs, "arrays/names": self.names_}
        headers = []
        for number, (model, rows) in enumerate(zip(self.estimators_, self.rows_, strict=True)):
            header, own = model.to_state()
            headers.append({"model": type(model).__name__, **header})
            arrays[f"targets/{number}/rows"] = rows
            shared = {*graph_arrays(model.graphs_), "arrays/names"}
            arrays.update({f"targets/{number}/{name}": array for name, array in own.items() if name not in shared})
        same = _repeated(arrays)
        arrays = {name: array for name, array in arrays.items() if name not in same}
        return ModelState({**graph_header(self.graphs_), "targets": headers, "same": same}, arrays)

    @classmethod
    def from_state(cls, state: ModelState, estimator: Callable[[object], type[GraphModel]]) -> Self:
        """Return the fitted models with this state; raise an error if its parts do not match.

        Parameters
        ----------
        state : ModelState
            What :meth:`to_state` returned, or what was read from a file.
        estimator : callable
            Returns the class of models that has a name.

        Returns
        -------
        TargetModels
        """
        header = state.header
        arrays = {**state.arrays, **{name: state.arrays[first] for name, first in header["same"].items()}}
        molecules = bool(header.get("molecules", False))
        graphs = read_graphs(arrays, molecules=molecules, vocabulary=read_vocabulary(header, molecules))
        names = arrays["arrays/names"]
        models, rows = [], []
        for number, each in enumerate(header["targets"]):
            prefix = f"targets/{number}/"
            own = {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
            positions = _read_rows(own.pop("rows"), len(graphs))
            own.update({**graph_arrays(graphs[positions]), "arrays/names": names[positions]})
            models.append(estimator(each.get("model")).from_state(ModelState(each, own)))
            rows.append(positions)
        share_training(models, graphs, rows)
        return cls(models, graphs, names, rows)


def _repeated(arrays: Arrays) -> dict[str, str]:
    """Return the names of arrays that several models share, but for the first, with the name of the first."""
    first: dict[int, str] = {}
    names = {name: first.setdefault(id(array), name) for name, array in arrays.items()}
    return {name: known for name, known in names.items() if name != known}


def _read_rows(rows: NDArray[Any], n_graphs: int) -> IntArray:
    """Return the positions of the training graphs of a target."""
    if rows.dtype != np.int64 or rows.ndim != 1 or not len(rows) or (np.diff(rows) <= 0).any():
        raise ValueError("the graphs of a target are not positions in increasing order")
    if not 0 <= rows[0] <= rows[-1] < n_graphs:
        raise ValueError(f"the graphs of a target are not among the {n_graphs} training graphs")
    return rows


def _join(parts: Sequence[Any]) -> Any:
    """Join results for parts of graphs: arrays row by row, tuples field by field."""
    first = parts[0]
    if len(parts) == 1 or first is None:
        return first
    if isinstance(first, tuple):
        fields = [_join(each) for each in zip(*parts, strict=True)]
        return type(first)(*fields) if hasattr(first, "_fields") else tuple(fields)
    return np.concatenate(parts)
