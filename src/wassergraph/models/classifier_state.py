"""How a GraphClassifier is written to a file and read from it."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.errors import InputTypeError
from wassergraph.graphs.saved_values import Arrays, finite_floats
from wassergraph.models.graph_model import GraphModel
from wassergraph.models.graph_model_state import common_state, read_common, read_training
from wassergraph.models.model_files.archive import ModelState


class SavedClassifier(ClassifierMixin, GraphModel):  # type: ignore[misc]
    """A classifier with the fitted attributes that are saved to a file; :class:`GraphClassifier` documents them."""

    classes_: NDArray[Any]
    majority_score_: float
    n_negative_: int
    negative_mass_: float
    support_: IntArray
    dual_coef_: FloatArray
    intercept_: FloatArray
    sigmoids_: FloatArray
    refit_time_: float
    scoring_: str
    class_weight_: FloatArray
    inner_measures_: dict[str, float]
    class_weight: Any

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
        header, arrays = common_state(self)
        numbers = {
            "majority_score": self.majority_score_,
            "n_negative": self.n_negative_,
            "negative_mass": self.negative_mass_,
            "scoring": self.scoring_,
            "inner_metrics": self.inner_measures_,
        }
        svm = {
            "arrays/classes": self.classes_,
            "arrays/support": self.support_,
            "arrays/dual_coef": self.dual_coef_,
            "arrays/intercept": self.intercept_,
            "arrays/sigmoids": self.sigmoids_,
            "arrays/class_weight": self.class_weight_,
        }
        return ModelState({**header, **numbers}, {**svm, **arrays})

    @classmethod
    def from_state(cls, state: ModelState) -> Self:
        """Return the fitted model with this state; raise an error if its parts do not match.

        Parameters
        ----------
        state : ModelState
            What :meth:`to_state` returned, or what was read from a file.

        Returns
        -------
        GraphClassifier
            The fitted model.
        """
        header, arrays = _from_version_1(state) if state.header["format_version"] == 1 else state
        model = cls()
        read_common(model, header, arrays)
        model.refit_time_ = model.seconds_["training"]
        model.majority_score_, model.negative_mass_ = float(header["majority_score"]), float(header["negative_mass"])
        model.n_negative_ = int(header["n_negative"])
        model._read_svm(arrays)
        model._read_balance(header, arrays)
        read_training(model, header, arrays)
        return model

    def _read_svm(self, arrays: Arrays) -> None:
        self.classes_ = arrays["arrays/classes"]
        n_classes = len(self.classes_)
        if self.classes_.ndim != 1 or len(np.unique(self.classes_)) != n_classes or n_classes < 2:
            raise ValueError("the classes are not two or more different values")
        n_pairs, n_graphs = n_classes * (n_classes - 1) // 2, len(arrays["graphs/node_ptr"]) - 1
        self.support_ = _read_support(arrays, n_graphs)
        self.dual_coef_ = finite_floats(arrays, "dual_coef", (n_pairs, len(self.support_)))
        self.intercept_ = finite_floats(arrays, "intercept", (n_pairs,))
        self.sigmoids_ = finite_floats(arrays, "sigmoids", (n_pairs, 2))

    def _read_balance(self, header: dict[str, Any], arrays: Arrays) -> None:
        """Read what classes weigh, and what parameters were chosen by; files of earlier versions do not say it."""
        self.scoring_ = str(header.get("scoring", "accuracy"))
        self.inner_measures_ = {str(name): float(value) for name, value in header.get("inner_metrics", {}).items()}
        self.class_weight_ = np.ones(len(self.classes_))
        if "arrays/class_weight" in arrays:
            self.class_weight_ = finite_floats(arrays, "class_weight", (len(self.classes_),))
        if "scoring" in header and "class_weight" not in header["parameters"]:  # JSON has no dict by class
            self.class_weight = dict(zip(self.classes_.tolist(), self.class_weight_.tolist(), strict=True))


def _read_support(arrays: Arrays, n_graphs: int) -> IntArray:
    """Return the positions of the support graphs; in files of earlier versions all graphs are."""
    support = arrays.get("arrays/support", np.arange(n_graphs))
    if support.dtype != np.int64 or support.ndim != 1 or (np.diff(support) <= 0).any():
        raise ValueError("the support graphs are not positions in increasing order")
    if len(support) and not 0 <= support[0] <= support[-1] < n_graphs:
        raise ValueError(f"the support graphs are not among the {n_graphs} training graphs")
    return support


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
