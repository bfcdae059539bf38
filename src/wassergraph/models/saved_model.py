"""SavedModel: what all models save: parameters, what was chosen, the scheme and the training graphs."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from wassergraph.arrays import FloatArray
from wassergraph.errors import InputTypeError, Option
from wassergraph.graphs.batch import GraphBatch
from wassergraph.graphs.columns import ColumnScheme
from wassergraph.graphs.saved_graphs import graph_arrays, graph_header, read_graphs, read_vocabulary
from wassergraph.graphs.saved_source import read_source
from wassergraph.graphs.saved_values import Arrays, finite_floats
from wassergraph.metrics.saved_scheme import read_scheme, scheme_arrays, scheme_to_json
from wassergraph.metrics.scheme import Scheme
from wassergraph.models.column_term import TrainingColumns, column_arrays, columns_to_json, read_term
from wassergraph.models.learning import Asked, Training
from wassergraph.models.model_files.archive import ModelState, write_model
from wassergraph.models.model_files.parts import (
    grid_to_json,
    known_parameters,
    metrics_from_json,
    metrics_to_json,
    parameters_to_json,
    read_candidate,
    read_scores,
    score_arrays,
)
from wassergraph.models.model_search import ModelSearch

#: Searches by their names in earlier versions.
_SEARCHES: dict[str, Any] = {"paper": "metric"}


class SavedModel(ModelSearch):
    """A model that can be written to a file; it must be a public name, which :func:`wassergraph.load_model` finds."""

    scheme_: Scheme
    graphs_: GraphBatch
    names_: NDArray[Any]
    targets_: NDArray[Any] | None
    nearest_: FloatArray | None
    target_name_: str | None
    source_: dict[str, Any]
    columns_: ColumnScheme | None
    n_train_: int
    n_negative_: int
    negative_mass_: float

    @property
    @abstractmethod
    def _columns(self) -> TrainingColumns | None:
        """The columns of the training graphs, if there are any."""

    def save(self, path: str | Path) -> None:
        """Write the model to one file, completely or not at all; :func:`wassergraph.load_model` reads it.

        Parameters
        ----------
        path : str or Path
            The file, by convention with the ending .wgm.
        """
        check_is_fitted(self)
        write_model(path, type(self).__name__, self.to_state())

    def to_state(self) -> ModelState:
        """Return the state of the fitted model.

        Returns
        -------
        ModelState
            The header and the arrays that :meth:`save` writes.
        """
        common, own = common_state(self), self._own_state()
        return ModelState({**common.header, **own.header}, {**own.arrays, **common.arrays})

    @classmethod
    def from_state(cls, state: ModelState) -> Self:
        """Return the fitted model with this state; raise an error if its parts do not match.

        Parameters
        ----------
        state : ModelState
            What :meth:`to_state` returned, or what was read from a file.

        Returns
        -------
        GraphClassifier, GraphRegressor or GraphGaussianProcess
            The fitted model.
        """
        model = cls()
        read_common(model, *state)
        model._read_own(*state)
        read_training(model, *state)
        return model

    @abstractmethod
    def _own_state(self) -> ModelState:
        """Return what this class of models saves besides what all do."""

    @abstractmethod
    def _read_own(self, header: dict[str, Any], arrays: Arrays) -> None:
        """Read what :meth:`_own_state` returned."""

    @abstractmethod
    def _keep_training(
        self, scheme: Scheme, training: Training, distances: FloatArray | None, targets: NDArray[Any] | None
    ) -> None:
        """Keep the training graphs and their targets, with the distances between them for the chosen parameters."""


def common_state(model: SavedModel) -> ModelState:
    """Return what all models save."""
    header = {
        "parameters": {**parameters_to_json(model), "metric": metrics_to_json(model.metric)},
        "best_params": model.best_params_,
        "best_score": model.best_score_,
        "n_train": model.n_train_,
        "n_negative": model.n_negative_,
        "negative_mass": model.negative_mass_,
        "seconds": model.seconds_,
        "search": model.search_,
        "screening": model.screening_,
        "target_name": model.target_name_,
        "source": model.source_,
        "columns": columns_to_json(model._columns),
        **graph_header(model.graphs_),
        "scheme": scheme_to_json(model.scheme_),
        "grid": grid_to_json(model.grid_scores_),
    }
    arrays: dict[str, NDArray[Any]] = {
        "arrays/names": model.names_,
        **({} if model.nearest_ is None else {"arrays/nearest": model.nearest_}),
        **({} if model.targets_ is None else {"arrays/targets": model.targets_}),
        **scheme_arrays(model.scheme_),
        **score_arrays(model.grid_scores_),
        **column_arrays(model._columns),
        **graph_arrays(model.graphs_),
    }
    return ModelState(header, arrays)


def n_saved_graphs(arrays: Arrays) -> int:
    """Return the number of training graphs among the arrays of a model."""
    return len(arrays["graphs/node_ptr"]) - 1


def read_common(model: SavedModel, header: dict[str, Any], arrays: Arrays) -> None:
    """Read what all models save, but the training graphs."""
    # Files of earlier versions name no mass and no search: they were "share" and what is now "metric". Nor do they name
    # a score: it was the accuracy, and classes had no weights. A later file lacks such a parameter only if it was a
    # function, or weights by class.
    former = {
        "search": "paper",
        **({} if "scoring" in header else {"scoring": "accuracy", "class_weight": None}),
    }
    saved = {**former, **header["parameters"]}
    saved["search"] = _SEARCHES.get(saved["search"], saved["search"])
    model.set_params(**known_parameters(model, {**saved, "metric": metrics_from_json(header["parameters"])}))
    decided = header.get("search", model.search)
    model.search_ = _SEARCHES.get(decided, decided)
    model.screening_ = {str(name): int(number) for name, number in header.get("screening", {}).items()}
    model.best_params_ = read_candidate(header["best_params"])
    model.best_score_ = None if header["best_score"] is None else float(header["best_score"])
    model.n_negative_, model.negative_mass_ = int(header["n_negative"]), float(header["negative_mass"])
    model.seconds_ = {str(step): float(seconds) for step, seconds in header["seconds"].items()}
    # Files of earlier versions know neither.
    model.target_name_ = read_target_name(header.get("target_name"), None)
    model.source_ = read_source(header.get("source"))
    model.grid_scores_ = read_scores(header["grid"], arrays)
    model.cv_results_ = {} if model.grid_scores_ is None else model.grid_scores_.table()


def read_target_name(name: object, y: object) -> str | None:
    """Return what is predicted: the name that is given, or else that of a column of pandas; None if there is none."""
    if name is None:
        own = getattr(y, "name", None)
        return own if isinstance(own, str) else None
    if not isinstance(name, str):
        raise InputTypeError(f"{{}} must be text, got {name!r}", options=[Option("target_name")])
    return name


def read_training(model: SavedModel, header: dict[str, Any], arrays: Arrays) -> None:
    """Read the training graphs; files of earlier versions contain support graphs only."""
    molecules = bool(header.get("molecules", False))
    graphs = read_graphs(arrays, molecules=molecules, vocabulary=read_vocabulary(header, molecules))
    names = arrays.get("arrays/names")
    if names is not None and (names.dtype.kind != "U" or names.shape != (len(graphs),)):
        raise ValueError(f"there are {len(graphs)} training graphs, but the names are {names.dtype} {names.shape}")
    targets = _read_targets(arrays, len(graphs))
    weight = model.best_params_.get("column_weight", 0.0)
    columns = read_term(header.get("columns"), arrays, len(graphs), weight)
    training = replace(Asked(names=names).read(graphs), columns=columns)
    model._keep_training(read_scheme(header["scheme"], arrays), training, None, targets)
    model.nearest_ = _read_nearest(arrays, len(graphs))
    model.n_train_ = int(header["n_train"])


def _read_targets(arrays: Arrays, n_graphs: int) -> NDArray[Any] | None:
    """Return the classes or numbers of the training graphs; files of earlier versions have none."""
    targets = arrays.get("arrays/targets")
    if targets is not None and (targets.dtype.kind not in "iubUf" or targets.shape != (n_graphs,)):
        raise ValueError(f"there are {n_graphs} training graphs, but the targets are {targets.dtype} {targets.shape}")
    return targets


def _read_nearest(arrays: Arrays, n_graphs: int) -> FloatArray | None:
    if "arrays/nearest" not in arrays:
        return None
    nearest = finite_floats(arrays, "nearest", (n_graphs,))
    if (np.diff(nearest) < 0).any():
        raise ValueError("the distances of nearest graphs are not sorted")
    return nearest
