"""SavedModel: what an estimator must provide to be saved and loaded."""

from __future__ import annotations

from abc import abstractmethod
from pathlib import Path
from typing import Self

from sklearn.utils.validation import check_is_fitted

from wassergraph.models.model_files.archive import ModelState, write_model


class SavedModel:
    """Mixin for estimators that can be written to a file.

    Each estimator defines what its state is. It must be a public name of the package, so that
    :func:`wassergraph.load_model` can find it.
    """

    def save(self, path: str | Path) -> None:
        """Write the model to one file, completely or not at all; :func:`wassergraph.load_model` reads it.

        Parameters
        ----------
        path : str or Path
            The file, by convention with the ending .wgm.
        """
        check_is_fitted(self)
        write_model(path, type(self).__name__, self.to_state())

    @abstractmethod
    def to_state(self) -> ModelState:
        """Return the state of the fitted model."""

    @classmethod
    @abstractmethod
    def from_state(cls, state: ModelState) -> Self:
        """Return the model with this state; raise an error if its parts do not match.

        The header contains the ``format_version`` that the state was written in.
        """
