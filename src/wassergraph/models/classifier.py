"""GraphClassifier: an SVM on Wasserstein Weisfeiler–Lehman distances, with parameters chosen by cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from threadpoolctl import threadpool_limits

from wassergraph.arrays import FloatArray, Fold, IntArray
from wassergraph.graphs.columns import ImputeColumns
from wassergraph.graphs.invariants import check_choice
from wassergraph.kernels.eigenvalues import negative_part
from wassergraph.kernels.laplacian import laplacian_kernel
from wassergraph.learners.svm.krein import fit_problems
from wassergraph.learners.svm.learner import SVMLearner, out_of_fold_decisions
from wassergraph.learners.svm.multiclass import problems
from wassergraph.learners.svm.smo import decide
from wassergraph.metrics.wwl import WWL
from wassergraph.models.class_model import ClassModel
from wassergraph.models.learning import Asked, ClassLearning, Training
from wassergraph.models.model_search import Scored
from wassergraph.parallel.estimate import with_one_bar
from wassergraph.parallel.threads import n_threads
from wassergraph.scores.classes import read_classes
from wassergraph.scores.measures import measures_in_folds
from wassergraph.scores.rare_classes import ClassWeight, class_weights, graph_weights
from wassergraph.scores.scoring import ClassOptions
from wassergraph.tuning.candidates import Candidates, ChosenMatrix
from wassergraph.tuning.folds import Auto, CrossValidation, FoldSeed
from wassergraph.tuning.grid import (
    ATTRIBUTE_C_VALUES,
    GAMMAS,
    LABEL_C_VALUES,
    Grid,
    is_auto,
    positive_numbers,
)
from wassergraph.tuning.splits import split_graphs
from wassergraph.tuning.wide import WIDE_C_VALUES, WIDE_GAMMAS, Search

#: What values of gamma are divided by.
GammaScale: TypeAlias = Literal["auto", "none", "median"]


class GraphClassifier(ClassModel):
    """Classifier of graphs by their Wasserstein Weisfeiler–Lehman distances, whose parameters are chosen in folds.

    ``fit`` computes the distances for all depths once, chooses depth, gamma and C by cross-validation (the inner
    folds), fits an SVM with the kernel ``exp(-gamma * D)``, and calibrates its probabilities. If depth, gamma and C
    have one value each, nothing is chosen. By default it chooses also what graphs are compared by.

    Parameters
    ----------
    metric : WWL, sequence of WWL, or None
        How graphs are compared, or several ways to choose from; by default ``WWL()``. Of several depths, one is chosen;
        ``depth="auto"`` is 0 … 7. ``mass="auto"`` is both masses for molecules, whose properties often grow with their
        size, and "share", as in the paper, for other graphs. Mean and variance of attributes are those of all training
        graphs, also for the inner folds.
    gamma : float, sequence of float or "auto"
        The values of gamma to choose from, the paper's λ; "auto" is the paper's range, 1e-4 … 10, or 0.1 … 3 for the
        wide search. ``gamma_scale`` is their unit.
    C : float, sequence of float or "auto"
        The values of the SVM's C to choose from; "auto" is the paper's range, 1e-4 … 1e5 for labels and 1e-3 … 1e3 for
        attributes, and 0.1 … 1e3 with the wide search.
    search : "auto", "metric" or "wide"
        What is chosen. "metric": depth, gamma and C, and the mass for molecules. "wide": also which data of the graphs
        are used (attributes, labels, or both as far as ``kind`` allows; edge labels; the degree as one more attribute),
        whether masses are shares or counts, and whether a size term is added to D. The features and masses of the
        paper are kept unless the mean score of another candidate in the inner folds is higher by 0.75 standard errors.
        For molecules, labels and both together are compared, with either mass. These ways are
        :func:`wassergraph.wide_metrics`, or the metrics in ``metric`` if it is a sequence. With more than 800 graphs,
        all are compared on 500 of them, and the six best on all graphs; those of attributes only if the best one is
        among them. "auto" is "wide", or "metric" if there are several metrics, or distances, or values of depth, gamma,
        C, power, gamma_scale, size_weight or degrees, or more than 5,000 graphs that are no molecules. ``search_`` is
        the decision.
    power : float or sequence of float
        The powers p of the kernel ``exp(-gamma * D**p)`` to choose from; 1 is the paper's. Above 1 the kernel is
        in general indefinite, even for labels.
    gamma_scale : "auto", "none" or "median"
        "median" divides the values of gamma by the median of ``D**p`` over all pairs of training graphs, so that the
        same values fit every data set. ``best_params_`` has the result. "auto" is "median" for the wide search, and
        "none", as in the paper, otherwise.
    class_weight : "auto", "balanced", dict or None
        Factors of C by class, as in scikit-learn's ``SVC``: "balanced" lets all classes count the same, a dict has
        weights by class, None is 1 for all. "auto" is "balanced" for unequal classes: if the largest has at least three
        times as many graphs as the smallest; otherwise None.
    scoring : str or callable
        What parameters are chosen by in the inner folds. "auto" is the accuracy; for unequal classes, "rare_pr_auc" if
        there are two, the average precision of the smaller one, and "balanced_accuracy" if there are more. Others are
        "roc_auc", "average_precision" (or "pr_auc"), "matthews_corrcoef" ("mcc"), "f1", "precision", "recall" and
        "jaccard" with their averages such as "f1_macro", "enrichment_5" for the enrichment factor of the 5 percent of
        graphs with the highest scores (or of any other percentage), and scorers of
        :func:`sklearn.metrics.make_scorer`, which may use decisions but no probabilities. Those of one class are about
        the second of two. If the score depends on the order of decisions alone, as areas and enrichment do, the
        decisions between two classes are shifted to where the probability of each class times its weight is the same.
    cv : int, "auto", splitter or iterable
        The inner folds; a number means stratified folds. "auto" is 5, or fewer, with a warning, if no class has as many
        graphs.
    n_jobs : int, optional
        The number of threads, as in joblib: None means 1 unless ``joblib.parallel_config`` is active, -1 means
        all processors, -2 all but one.
    random_state : int, RandomState or None
        The seed for shuffling the inner folds; None keeps the order of the graphs. Graphs that are similar are often
        neighbors in a file, and folds in that order choose worse parameters: on BZR the accuracy is five points lower.
    progress : bool
        Whether to show a progress bar and, before work of more than some seconds, what it will take in time and memory.

    Attributes
    ----------
    classes_ : (n_classes) array
        The classes, sorted.
    best_params_ : dict
        The chosen depth, gamma and C, and mass and power if there were several to choose from: those with the best mean
        score in the inner folds; of several, "share", then the smallest depth, then C, then gamma. With the wide
        search also the kind, and for graphs other than molecules whether edge labels and degrees are used, and the
        weight of the size term; then the first in ``rank_test_score`` may be another one, since the paper's way is
        preferred.
    best_score_ : float or None
        Their mean score in the inner folds, see ``scoring_``; None if there was nothing to choose.
    scoring_ : str
        The name of the score that parameters were chosen by.
    class_weight_ : (n_classes) floats
        The weights of the classes in the final fit.
    inner_measures_ : dict
        The mean over the inner folds of "accuracy", "balanced_accuracy", "roc_auc", "pr_auc" and "mcc" with the chosen
        parameters, as far as they are defined; empty in models of earlier versions. They are a little too high, since
        the parameters were chosen on the same folds.
    threshold_ : float or None
        For two classes, the probability of the second from which on it is predicted; see :meth:`predict_proba`.
    majority_score_ : float
        The share of the largest class: the accuracy of always predicting it.
    cv_results_ : dict
        A row for every candidate, in the columns of scikit-learn's ``GridSearchCV``; ``mean_fit_time`` is the time of
        all C with the same depth and gamma, divided by their number. Empty if there was nothing to choose. With the
        wide search, candidates that fell behind, or whose fit took too many steps, have scores that are NaN.
    grid_scores_ : GridScores or None
        The same as arrays; None if there was nothing to choose.
    search_ : "metric" or "wide"
        The search that was made.
    screening_ : dict
        With many graphs: on how many "graphs" how many "ways" were compared, and how many were "kept" for all graphs.
        Empty if all ways were compared on all graphs.
    n_negative_, negative_mass_ : int, float
        The number of negative eigenvalues of the training kernel, and their share in the sum of all absolute values.
        Kernels of labels alone, with powers up to 1, have none; of others, negative eigenvalues are flipped, see
        :class:`wassergraph.KreinSVC`.
    scheme_ : Scheme
        How graphs are embedded, as learned from the training graphs.
    graphs_ : GraphBatch
        The training graphs.
    names_ : (n_train) array of str
        Their names.
    targets_ : (n_train) array or None
        Their classes; None in models of earlier versions.
    nearest_ : (n_train) floats or None
        How far each training graph is from the nearest other one, sorted; None in models of earlier versions.
    support_ : (n_support) integers
        The positions of the training graphs that decisions need: the support vectors. Models that were saved by
        earlier versions contain no other graphs.
    dual_coef_, intercept_ : (n_pairs, n_support), (n_pairs) floats
        The SVMs, one for every two classes.
    sigmoids_ : (n_pairs, 2) floats
        The sigmoids that turn their decisions into probabilities.
    estimators_ : list
        Only after a fit to several targets: the fitted model of each, whose attributes are these; others are not there.
    columns_ : ColumnScheme or None
        The names of the columns that were passed beside the graphs, their means and standard deviations, and what is
        filled in; None without columns. ``best_params_["column_weight"]`` is the weight of their distances.
    target_name_ : str or None
        What is predicted, if that is known; of several targets, a list of their names.
    source_ : dict
        How the training graphs were read, if that is known.
    n_train_ : int
        The number of training graphs.
    seconds_ : dict
        The time of each step.
    refit_time_ : float
        The time of the final fit, as in ``GridSearchCV``.

    See Also
    --------
    GraphRegressor : the same for numbers
    evaluate : how well graphs can be classified
    load_model : read a model that ``save`` wrote
    KreinSVC : the SVM for indefinite kernels
    WWL : distances as a step of a pipeline

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> model = wg.GraphClassifier(wg.WWL(depth=range(3))).fit(graphs[:40], y[:40])
    >>> model.predict(graphs[40:]).shape, model.predict_proba(graphs[40:]).shape
    ((20,), (20, 3))
    """

    _learns_numbers = False

    def __init__(
        self,
        metric: WWL | Sequence[WWL] | None = None,
        gamma: float | Sequence[float] | Literal["auto"] = "auto",
        C: float | Sequence[float] | Literal["auto"] = "auto",  # noqa: N803 - scikit-learn's name
        *,
        search: Search = "auto",
        power: float | Sequence[float] = 1.0,
        gamma_scale: GammaScale = "auto",
        class_weight: ClassWeight = "auto",
        scoring: str | Callable[..., Any] = "auto",
        cv: CrossValidation | Auto = "auto",
        n_jobs: int | None = None,
        random_state: FoldSeed = 0,
        progress: bool = False,
    ) -> None:
        self.metric = metric
        self.gamma = gamma
        self.C = C
        self.search = search
        self.power = power
        self.gamma_scale = gamma_scale
        self.class_weight = class_weight
        self.scoring = scoring
        self.cv = cv
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.progress = progress

    @with_one_bar("training")
    def fit(
        self,
        graphs: Any,
        y: ArrayLike,
        *,
        columns: Any = None,
        impute: ImputeColumns = "error",
        distances: Any = None,
        names: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        target_name: str | Sequence[str] | None = None,
        source: Mapping[str, Any] | None = None,
    ) -> Self:
        """Fit the classifier.

        Parameters
        ----------
        graphs : GraphBatch, or graphs of another library
            The training graphs.
        y : (n_graphs) or (n_graphs, n_targets) array
            The class of every graph. Of several targets, one column each, a graph may lack some: None, NaN, a masked
            value or what pandas and polars write is a gap. A model is fitted to each target with the graphs that have
            a value, in ``estimators_``, and the distances are computed once for all.
        columns : DataFrame, dict or (n_graphs, n_columns) floats, optional
            Further numbers of every graph, such as a temperature, of which the model compares those that differ: each
            is scaled to mean 0 and standard deviation 1, and limited to 5 of these. The root mean squared difference of
            two graphs, times a weight that is chosen, is added to their distance. The same columns are needed for new
            graphs, by name if they have names.
        impute : "error" or "median"
            What to do with missing cells of columns: raise an error, or fill in the median of the training graphs, also
            for new graphs.
        distances : DistanceStore, or (n_depths, n_graphs, n_graphs) floats, optional
            The distances between the training graphs, if they were computed before: for every depth in increasing
            order, and embedded as the parameters of this classifier say, with one mass. Of a store, this is checked.
        names : (n_graphs) array of str, optional
            The names of the training graphs, for :meth:`predictions`; by default their positions.
        sample_weight : (n_graphs) floats, optional
            How much each graph counts in the SVMs, as in scikit-learn's ``SVC``: factors of C, positive. The score in
            the inner folds is not weighted.
        groups : (n_graphs) array, optional
            The group of every graph, such as its scaffold: graphs of one group are in the same inner fold, so that
            parameters are chosen for graphs of other groups. A splitter that is given as ``cv`` gets the groups.
        target_name : str or sequence of str, optional
            What y is called, such as the name of a column with its unit, "pEC50 (nM)", or what its columns are called;
            by default the name of a Series of pandas, or the columns of a DataFrame. ``wassergraph predict`` compares
            predictions with columns of these names only.
        source : dict, optional
            How the graphs were read: texts, numbers and lists of these by name. ``wassergraph train`` keeps the columns
            and options that it read graphs with, and ``wassergraph predict`` reads new graphs in the same way.

        Returns
        -------
        self
        """
        return self._fit(
            graphs,
            y,
            Asked(distances, names, sample_weight, groups, target_name, source, columns=columns, impute=impute),
        )

    # Steps of fit

    def _read(self, training: Training, y: ArrayLike) -> ClassLearning:
        batch = training.graphs
        self.classes_, targets = read_classes(y, len(batch))
        self._check_ranges()
        scoring, class_weight = ClassOptions.read(self.scoring, self.class_weight, self.classes_, targets)
        learner = SVMLearner(len(self.classes_), False, class_weight, scoring)
        folds = split_graphs(targets, self.classes_, self.cv, self.random_state, training.groups)
        scored = Scored(targets, folds, lambda found: replace(learner, krein=not found.definite), training.weights)
        return ClassLearning(training, self.classes_[targets], scored, learner)

    def _finish(self, learning: ClassLearning, chosen: ChosenMatrix) -> None:
        matrix, targets, weights = np.asarray(chosen.matrix), learning.scored.targets, learning.training.weights
        learner = replace(learning.learner, krein=not chosen.matrix.definite)
        coefficients = self._fit_svm(matrix, targets, learner, weights)
        self._calibrate(matrix, targets, learning.folds, learner, weights)
        self.majority_score_ = float(np.bincount(targets).max() / len(targets))
        self.support_ = np.flatnonzero(coefficients.any(axis=0))
        self.dual_coef_ = np.ascontiguousarray(coefficients[:, self.support_])
        self._keep_training(chosen.scheme, learning.training, chosen.matrix.all_distances(), learning.targets)

    def _check_ranges(self) -> None:
        """Check everything that can be checked without distances."""
        check_choice("gamma_scale", self.gamma_scale, GammaScale)
        for name in ("gamma", "C", "power"):
            if not is_auto(getattr(self, name)):
                positive_numbers(name, getattr(self, name))

    def _is_pinned(self, metrics: WWL | list[WWL], given: Any) -> bool:
        chosen = [self.gamma, self.C, self.gamma_scale]
        return super()._is_pinned(metrics, given) or not all(map(is_auto, chosen)) or self._powers() != (1.0,)

    def _powers(self) -> tuple[float, ...]:
        return positive_numbers("power", self.power)

    def _grid(self, candidates: Candidates) -> Grid:
        wide = self.search_ == "wide"
        relative = wide if is_auto(self.gamma_scale) else self.gamma_scale == "median"
        papers = LABEL_C_VALUES if candidates.schemes[0].kind == "categorical" else ATTRIBUTE_C_VALUES
        gammas, C_values = (WIDE_GAMMAS, WIDE_C_VALUES) if wide else (GAMMAS, papers)
        return Grid(
            tuple(candidates.parameters),
            gammas if is_auto(self.gamma) else positive_numbers("gamma", self.gamma),
            C_values if is_auto(self.C) else positive_numbers("C", self.C),
            scales=candidates.medians() if relative else None,
            n_simple=candidates.n_simple if wide else 0,
        )

    def _fit_svm(
        self, distances: NDArray[Any], targets: IntArray, learner: SVMLearner, weights: FloatArray | None
    ) -> FloatArray:
        """Fit the final SVMs; return their coefficients (n_pairs, n_train)."""
        self.scoring_ = learner.scoring.name
        self.class_weight_ = class_weights(learner.class_weight, targets, learner.n_classes)
        with self._timed("training"), threadpool_limits(n_threads(self.n_jobs)):
            kernel = laplacian_kernel(distances, self.best_params_["gamma"])
            self.n_negative_, self.negative_mass_ = negative_part(kernel)
            coefficients, self.intercept_ = fit_problems(
                kernel,
                problems(targets, learner.n_classes),
                self.best_params_["C"],
                flipping=learner.krein and self.n_negative_ > 0,
                weights=graph_weights(learner.class_weight, targets, learner.n_classes, weights),
            )
            if learner.centers:
                own = decide(kernel, coefficients, self.intercept_)[:, 0]
                self.intercept_ = self.intercept_ - learner.middle(own, targets)
        self.refit_time_ = self.seconds_["training"]
        return coefficients

    def _calibrate(
        self,
        distances: NDArray[Any],
        targets: IntArray,
        folds: list[Fold],
        learner: SVMLearner,
        weights: FloatArray | None,
    ) -> None:
        """Fit the sigmoids that turn decisions into probabilities, and measure the decisions."""
        gamma, C = self.best_params_["gamma"], self.best_params_["C"]  # noqa: N806 - scikit-learn's name
        with self._timed("calibration"):
            decisions = out_of_fold_decisions(distances, targets, folds, gamma, C, learner, weights)
            shift, self.sigmoids_ = learner.calibrate(decisions, targets)
            self.intercept_ = self.intercept_ - shift
            self.inner_measures_ = measures_in_folds(learner.outputs(decisions - shift), targets, folds)
