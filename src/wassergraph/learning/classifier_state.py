"""How a WWLClassifier is written to a file and read from it."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin

from wassergraph.arrays import FloatArray
from wassergraph.embedding.scheme import Scheme
from wassergraph.errors import InputTypeError
from wassergraph.graphs.batch import GraphBatch
from wassergraph.learning.grid import GridScores
from wassergraph.learning.model_files.archive import ModelState
from wassergraph.learning.model_files.parts import (
    finite_floats,
    graph_arrays,
    grid_to_json,
    known_parameters,
    parameters_to_json,
    read_candidate,
    read_graphs,
    read_scheme,
    read_scores,
    scheme_arrays,
    scheme_to_json,
    score_arrays,
)
from wassergraph.learning.model_files.saved_model import SavedModel


class SavedClassifier(SavedModel, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier with the fitted attributes that are saved to a file; :class:`WWLClassifier` documents them."""

    classes_: NDArray[Any]
    best_params_: dict[str, Any]
    best_score_: float | None
    majority_score_: float
    cv_results_: dict[str, Any]
    grid_scores_: GridScores | None
    n_negative_: int
    negative_mass_: float
    scheme_: Scheme
    graphs_: GraphBatch
    dual_coef_: FloatArray
    intercept_: FloatArray
    sigmoids_: FloatArray
    n_train_: int
    seconds_: dict[str, float]
    refit_time_: float

    @abstractmethod
    def _keep_support(self, graphs: GraphBatch) -> None:
        """Keep the support graphs."""

    def to_state(self) -> ModelState:
        """Return the state of the fitted model.

        Returns
        -------
        ModelState
            The header and the arrays that :meth:`save` writes.
        """
        if self.classes_.dtype.kind not in "iubUf":
            problem = f"classes of the type {self.classes_.dtype} cannot be saved"
            raise InputTypeError(problem, remedy="use numbers or strings")
        header = {
            "parameters": parameters_to_json(self),
            "best_params": self.best_params_,
            "best_score": self.best_score_,
            "majority_score": self.majority_score_,
            "n_negative": self.n_negative_,
            "negative_mass": self.negative_mass_,
            "n_train": self.n_train_,
            "seconds": self.seconds_,
            "molecules": self.graphs_.molecules,
            "scheme": scheme_to_json(self.scheme_),
            "grid": grid_to_json(self.grid_scores_),
        }
        arrays = {
            "arrays/classes": self.classes_,
            "arrays/dual_coef": self.dual_coef_,
            "arrays/intercept": self.intercept_,
            "arrays/sigmoids": self.sigmoids_,
            **scheme_arrays(self.scheme_),
            **score_arrays(self.grid_scores_),
            **graph_arrays(self.graphs_),
        }
        return ModelState(header, arrays)

    @classmethod
    def from_state(cls, state: ModelState) -> Self:
        """Return the fitted model with this state; raise an error if its parts do not match.

        Parameters
        ----------
        state : ModelState
            What :meth:`to_state` returned, or what was read from a file.

        Returns
        -------
        WWLClassifier
            The fitted model.
        """
        header, arrays = _from_version_1(state) if state.header["format_version"] == 1 else state
        model = cls()
        # Files of earlier versions name no mass: it was "share".
        model.set_params(**known_parameters(model, {"mass": "share", **header["parameters"]}))
        model._read_numbers(header)
        model.scheme_ = read_scheme(header["scheme"], arrays)
        model.grid_scores_ = read_scores(header["grid"], arrays)
        model.cv_results_ = {} if model.grid_scores_ is None else model.grid_scores_.table()
        graphs = read_graphs(arrays, molecules=bool(header.get("molecules", False)))
        model._read_svm(arrays, len(graphs))
        model._keep_support(graphs)
        return model

    def _read_numbers(self, header: dict[str, Any]) -> None:
        self.best_params_ = read_candidate(header["best_params"])
        self.best_score_ = None if header["best_score"] is None else float(header["best_score"])
        self.majority_score_, self.negative_mass_ = float(header["majority_score"]), float(header["negative_mass"])
        self.n_negative_, self.n_train_ = int(header["n_negative"]), int(header["n_train"])
        self.seconds_ = {str(step): float(seconds) for step, seconds in header["seconds"].items()}
        self.refit_time_ = self.seconds_["training"]

    def _read_svm(self, arrays: dict[str, NDArray[Any]], n_support: int) -> None:
        self.classes_ = arrays["arrays/classes"]
        n_classes = len(self.classes_)
        if self.classes_.ndim != 1 or len(np.unique(self.classes_)) != n_classes or n_classes < 2:
            raise ValueError("the classes are not two or more different values")
        n_pairs = n_classes * (n_classes - 1) // 2
        self.dual_coef_ = finite_floats(arrays, "dual_coef", (n_pairs, n_support))
        self.intercept_ = finite_floats(arrays, "intercept", (n_pairs,))
        self.sigmoids_ = finite_floats(arrays, "sigmoids", (n_pairs, 2))


def _from_version_1(state: ModelState) -> ModelState:
    """Return a state of format version 1 with the names of version 2."""
    header, arrays = dict(state.header), dict(state.arrays)
    header["parameters"] = dict(header["parameters"])
    if "standardise" in header["parameters"]:
        header["parameters"]["standardize"] = header["parameters"].pop("standardise")
    if header["grid"] is not None:
        header["grid"] = {**header["grid"], "C_values": header["grid"]["costs"]}
    if "arrays/accuracy" in arrays:
        arrays["arrays/score"] = arrays.pop("arrays/accuracy")
    return ModelState(header, arrays)
