"""ClassModel: what a model of classes says about graphs: classes, decisions, probabilities and explanations."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils.validation import check_is_fitted

from wassergraph.arrays import FloatArray, IntArray
from wassergraph.errors import InputTypeError
from wassergraph.formats.detect import as_batch
from wassergraph.graphs.saved_values import Arrays, finite_floats
from wassergraph.kernels.laplacian import laplacian_kernel
from wassergraph.learners.svm.calibration import decision_threshold, probabilities
from wassergraph.learners.svm.multiclass import scores_by_class, vote
from wassergraph.learners.svm.smo import decide
from wassergraph.models.explaining import KernelSum, decision_between, pair_of_classes
from wassergraph.models.explanation import Explanation
from wassergraph.models.model_files.archive import ModelState
from wassergraph.models.saved_model import n_saved_graphs
from wassergraph.models.several_targets import SeveralTargets, as_columns
from wassergraph.models.target_models import TargetModels
from wassergraph.models.training_graphs import Neighbors, TrainingGraphs, find_neighbors, join_neighbors, mark_unseen
from wassergraph.scores.classes import number_classes
from wassergraph.scores.rare_classes import are_unequal


class ClassPredictions(NamedTuple):
    """What a classifier says about graphs.

    Attributes
    ----------
    classes : (n) array
        The predicted classes.
    decisions : (n) or (n, n_classes) floats
        The scores of ``decision_function``.
    probabilities : (n, n_classes) floats
        The probabilities of the classes.
    neighbors : Neighbors or None
        The nearest training graphs, if they are known.
    """

    classes: NDArray[Any]
    decisions: FloatArray
    probabilities: FloatArray
    neighbors: Neighbors | None


class ClassModel(ClassifierMixin, SeveralTargets):  # type: ignore[misc]
    """A support vector machine for every two classes; :class:`GraphClassifier` documents the fitted attributes."""

    classes_: NDArray[Any]
    majority_score_: float
    support_: IntArray
    dual_coef_: FloatArray
    intercept_: FloatArray
    sigmoids_: FloatArray
    refit_time_: float
    scoring_: str
    class_weight_: FloatArray
    inner_measures_: dict[str, float]
    class_weight: Any

    @property
    def threshold_(self) -> float | None:
        """For two classes, the probability of the second from which on it is predicted; None for more."""
        return decision_threshold(self.sigmoids_)

    @property
    def _unequal(self) -> bool:
        """Whether the classes of the training graphs are unequal; False if these are not known."""
        return self.targets_ is not None and are_unequal(number_classes(self.targets_, self.n_train_)[1])

    @property
    def _power(self) -> float:
        """The power of the distances in the kernel."""
        return float(self.best_params_.get("power", 1.0))

    def predict(self, graphs: Any, *, columns: Any = None) -> NDArray[Any]:
        """Predict the class of every graph.

        Parameters
        ----------
        graphs : GraphBatch, or graphs of another library
            New graphs.
        columns : DataFrame, dict or (n_graphs, n_columns) floats, optional
            Their columns, if the model was trained with some: the same ones, by name if they have names.

        Returns
        -------
        (n_graphs) array
            The predicted classes; (n_graphs, n_targets) of several targets.
        """
        if self._is_several():
            return as_columns(self._of_each(graphs, "predict", columns=columns))
        return self._classes(self._decisions(graphs, columns))

    def score(self, graphs: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, *, columns: Any = None) -> float:
        """Compute the accuracy, as classifiers of scikit-learn do.

        Parameters
        ----------
        graphs : GraphBatch, or graphs of another library
            New graphs.
        y : (n_graphs) or (n_graphs, n_targets) array
            Their classes; those of several targets may have gaps, and each target counts where it has values.
        sample_weight : (n_graphs) floats, optional
            How much each graph counts.
        columns : optional
            As in :meth:`predict`.

        Returns
        -------
        float
            The share of graphs whose class is predicted; of several targets the mean.
        """
        if self._is_several():
            return self._mean_score(graphs, y, sample_weight, columns)
        return float(accuracy_score(y, self.predict(graphs, columns=columns), sample_weight=sample_weight))

    def decision_function(self, graphs: Any, *, columns: Any = None) -> Any:
        """Compute the decisions.

        Parameters
        ----------
        graphs : GraphBatch, or graphs of another library
            New graphs.
        columns : optional
            As in :meth:`predict`.

        Returns
        -------
        (n_graphs) or (n_graphs, n_classes) floats
            For two classes one number, positive for the second class; otherwise a column per class. Of several targets,
            a list with those of each.
        """
        if self._is_several():
            return self._of_each(graphs, "decision_function", columns=columns)
        return self._scores(self._decisions(graphs, columns))

    def predict_proba(self, graphs: Any, *, columns: Any = None) -> Any:
        """Compute the probability of every class.

        Probabilities are calibrated on training graphs, with decisions of SVMs that were not trained on them: they say
        how often graphs with such a decision are of a class. The predicted class follows from the decision. Where rare
        classes weigh more, a graph is predicted to be of one long before it is more probable than not: of two classes,
        the second is predicted from the probability ``threshold_`` on. Of more classes, the most probable one is
        sometimes not the predicted one, as with ``SVC``.

        Parameters
        ----------
        graphs : GraphBatch, or graphs of another library
            New graphs.
        columns : optional
            As in :meth:`predict`.

        Returns
        -------
        (n_graphs, n_classes) floats
            The probabilities, each row with the sum 1. Of several targets, a list with those of each.
        """
        if self._is_several():
            return self._of_each(graphs, "predict_proba", columns=columns)
        return probabilities(self._decisions(graphs, columns), self.sigmoids_, len(self.classes_))

    def predictions(self, graphs: Any, *, columns: Any = None) -> Any:
        """Compute classes, decisions, probabilities and nearest training graphs, with distances computed once.

        Parameters
        ----------
        graphs : GraphBatch, or graphs of another library
            New graphs.
        columns : optional
            As in :meth:`predict`.

        Returns
        -------
        ClassPredictions
            As ``predict``, ``decision_function``, ``predict_proba`` and ``neighbors`` return them. The neighbors are
            None for a model that was saved by an earlier version. Of several targets, a list with those of each.
        """
        if self._is_several():
            return self._of_each(graphs, "predictions", columns=columns)
        batch = as_batch(graphs, self.source_)
        decisions: list[FloatArray] = [np.empty((0, len(self.intercept_)))]
        neighbors: list[Neighbors] = []

        def decide_part(distances: FloatArray) -> None:
            decisions.append(self._decide(distances[:, self.support_]))
            neighbors.extend([] if self.nearest_ is None else [find_neighbors(distances, self.nearest_)])

        self._with_distances(batch, decide_part, columns=columns)
        decided = np.concatenate(decisions)
        return ClassPredictions(
            self._classes(decided),
            self._scores(decided),
            probabilities(decided, self.sigmoids_, len(self.classes_)),
            None if self.nearest_ is None else mark_unseen(join_neighbors(neighbors), self._training.unseen_in(batch)),
        )

    def explain(self, graph: Any, classes: Any = None, *, columns: Any = None) -> Explanation:
        """Explain the decision between two classes for one graph.

        Parameters
        ----------
        graph : GraphBatch, or graphs of another library
            One graph.
        classes : sequence of two classes, optional
            The decision to explain: positive for the first class. By default this is the predicted class, and the
            second is the one that comes closest, by the scores of :meth:`decision_function`.
        columns : optional
            Its columns, as in :meth:`predict`.

        Returns
        -------
        Explanation
            The contributions of the training graphs, and the scores of the nodes, whose sum is the decision: see
            :class:`wassergraph.Explanation` for the formula. For two classes the decision is, up to its sign, that of
            :meth:`decision_function`; for more, that of the SVM of the two classes. It is exact, with an optimal plan
            for every training graph whose coefficient is not 0.

        Examples
        --------
        >>> import wassergraph as wg
        >>> graphs, y = wg.load_dataset("demo")
        >>> model = wg.GraphClassifier(wg.WWL(depth=1, kind="joint"), gamma=1.0, C=10.0).fit(graphs[:40], y[:40])
        >>> explanation = model.explain(graphs[40], classes=[0, 2])
        >>> explanation.classes, explanation.node_scores.shape == (graphs[40].n_nodes,)
        ((0, 2), True)
        """
        check_is_fitted(self)
        comparison = self._compare(graph, columns)
        decisions = self._decide(comparison.distances[:, self.support_])
        one, other = self._closest(decisions) if classes is None else pair_of_classes(classes, self.classes_)
        pair, sign = decision_between(one, other, len(self.classes_))
        coefficients = np.zeros(len(self.graphs_))
        coefficients[self.support_] = sign * self.dual_coef_[pair]
        function = KernelSum(
            sign * float(decisions[0, pair]),
            sign * float(self.intercept_[pair]),
            coefficients,
            self.best_params_["gamma"],
            self._power,
            (self.classes_.tolist()[one], self.classes_.tolist()[other]),
        )
        return self._explain(comparison, function)

    def _score_of(self, values: NDArray[Any], predicted: NDArray[Any], weights: NDArray[Any] | None) -> float:
        return float(accuracy_score(values, predicted, sample_weight=weights))

    def _adopt_several(self, models: TargetModels) -> None:
        super()._adopt_several(models)
        self.classes_ = [each.classes_ for each in self.estimators_]  # type: ignore[assignment]

    # Decisions

    def _train_on(self, training: TrainingGraphs) -> None:
        super()._train_on(training)
        self._support = training.take(self.support_)

    def _decisions(self, graphs: Any, columns: Any = None) -> FloatArray:
        check_is_fitted(self)
        parts = self._with_distances(graphs, self._decide, self._support, columns=columns)
        return np.concatenate([np.empty((0, len(self.intercept_))), *parts])

    def _decide(self, distances: FloatArray) -> FloatArray:
        """Return the decisions of all SVMs, from distances to the support graphs."""
        kernel = laplacian_kernel(distances, self.best_params_["gamma"], power=self._power)
        return decide(kernel, self.dual_coef_, self.intercept_)

    def _describe_targets(self) -> str:
        return f"{len(self.classes_)} classes"

    def _classes(self, decisions: FloatArray) -> NDArray[Any]:
        return np.asarray(self.classes_[vote(decisions, len(self.classes_))])

    def _closest(self, decisions: FloatArray) -> tuple[int, int]:
        """Return the numbers of the predicted class of one graph, and of that with the largest score but for it."""
        n_classes = len(self.classes_)
        predicted = int(vote(decisions, n_classes)[0])
        scores = scores_by_class(decisions, n_classes)[0]
        scores[predicted] = -np.inf
        return predicted, int(scores.argmax())

    def _scores(self, decisions: FloatArray) -> FloatArray:
        return -decisions[:, 0] if len(self.classes_) == 2 else scores_by_class(decisions, len(self.classes_))

    # Files

    def _own_state(self) -> ModelState:
        if self.classes_.dtype.kind not in "iubUf":
            problem = f"classes of the type {self.classes_.dtype} cannot be saved"
            raise InputTypeError(problem, remedy="use numbers or strings")
        header = {
            "majority_score": self.majority_score_,
            "scoring": self.scoring_,
            "inner_metrics": self.inner_measures_,
        }
        names = ("classes", "support", "dual_coef", "intercept", "sigmoids", "class_weight")
        return ModelState(header, {f"arrays/{name}": getattr(self, f"{name}_") for name in names})

    def _read_own(self, header: dict[str, Any], arrays: Arrays) -> None:
        self.refit_time_ = self.seconds_["training"]
        self.majority_score_ = float(header["majority_score"])
        self._read_svm(arrays)
        self._read_balance(header, arrays)

    def _read_svm(self, arrays: Arrays) -> None:
        self.classes_ = arrays["arrays/classes"]
        n_classes = len(self.classes_)
        if self.classes_.ndim != 1 or len(np.unique(self.classes_)) != n_classes or n_classes < 2:
            raise ValueError("the classes are not two or more different values")
        n_pairs, n_graphs = n_classes * (n_classes - 1) // 2, n_saved_graphs(arrays)
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
