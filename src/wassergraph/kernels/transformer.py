"""The kernel of distances as a transformer of scikit-learn, so that a search over gamma and C costs next to nothing.

D ──LaplacianKernel──▶ K ──SVC(kernel="precomputed")──▶ predictions
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from wassergraph.errors import InputError
from wassergraph.kernels.laplacian import check_distances, check_gamma, laplacian_kernel


class LaplacianKernel(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Transformer of distances into the kernel ``exp(-gamma * D)``.

    As a pipeline step before ``SVC(kernel="precomputed")`` a grid search can choose ``gamma`` on distances that
    were computed once. It has scikit-learn's pairwise tag: cross-validation selects rows and columns of D together.

    Parameters
    ----------
    gamma : float
        How fast the similarity decreases with the distance; positive.

    Attributes
    ----------
    n_features_in_ : int
        The number of training graphs, one column of D for each.

    See Also
    --------
    kernels.laplacian_kernel : the same as a function
    WWL : distances, as the step before
    KreinSVC : an SVM for kernels that are not positive definite

    Examples
    --------
    >>> import wassergraph as wg
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.svm import SVC
    >>> graphs, y = wg.load_dataset("demo")
    >>> distances = wg.distances(graphs, metric=wg.WWL(kind="categorical"))
    >>> model = make_pipeline(wg.LaplacianKernel(), SVC(kernel="precomputed"))
    >>> search = GridSearchCV(model, {"laplaciankernel__gamma": [0.1, 1.0, 10.0], "svc__C": [1.0, 100.0]})
    >>> search.fit(distances, y).best_params_["laplaciankernel__gamma"] in (0.1, 1.0, 10.0)
    True
    """

    def __init__(self, gamma: float = 1.0) -> None:
        self.gamma = gamma

    def fit(self, D: ArrayLike, y: object = None) -> Self:  # noqa: N803 - D is a matrix
        """Check gamma and the distances between the training graphs.

        Parameters
        ----------
        D : (n_train, n_train) floats
            The distances between the training graphs.
        y : ignored
            Present for scikit-learn's conventions.

        Returns
        -------
        self
        """
        check_gamma(self.gamma)
        distances = validate_data(self, D, dtype=[np.float64, np.float32])
        if distances.shape[0] != distances.shape[1]:
            raise InputError(
                f"the distances between the training graphs must be a square matrix, got the shape {distances.shape}",
                remedy="to compute distances from graphs, begin the pipeline with a metric, WWL()",
            )
        check_distances(distances)
        return self

    def transform(self, D: ArrayLike) -> NDArray[Any]:  # noqa: N803 - D is a matrix
        """Compute the kernel of distances.

        Parameters
        ----------
        D : (n_graphs, n_train) floats
            The distances from graphs to the training graphs.

        Returns
        -------
        (n_graphs, n_train) floats
            The kernel, of the same data type as the distances.
        """
        check_is_fitted(self)
        return laplacian_kernel(validate_data(self, D, reset=False, dtype=[np.float64, np.float32]), self.gamma)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = True
        tags.input_tags.positive_only = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
