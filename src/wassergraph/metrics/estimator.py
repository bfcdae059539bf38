"""Parameters as scikit-learn's estimators have them.

Metrics and solvers work wherever scikit-learn expects an estimator, but do not derive from its base class: importing
that takes half a second, more than the distances of many a collection.
"""

from __future__ import annotations

import inspect
import sys
from importlib import import_module
from typing import Any, Self

from wassergraph.arrays import FloatArray
from wassergraph.errors import InputError, Option, did_you_mean


class Estimator:
    """An object whose parameters are those of its constructor, under the same names."""

    @classmethod
    def _defaults(cls) -> dict[str, Any]:
        """Return the parameters with their defaults."""
        signature = inspect.signature(cls)
        return {name: parameter.default for name, parameter in signature.parameters.items()}

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters.

        Parameters
        ----------
        deep : bool
            Whether to add those of parameters that are estimators, as ``solver__reg``.

        Returns
        -------
        dict
            Values by name.
        """
        parameters = {name: getattr(self, name) for name in self._defaults()}
        if deep:
            for name, value in list(parameters.items()):
                if isinstance(value, Estimator):
                    parameters |= {f"{name}__{inner}": own for inner, own in value.get_params().items()}
        return parameters

    def set_params(self, **params: Any) -> Self:
        """Replace parameters.

        Parameters
        ----------
        **params : object
            Values by name; of parameters that are estimators, as ``solver__reg``.

        Returns
        -------
        self
        """
        known = self._defaults()
        for key, value in sorted(params.items()):  # an estimator before its own parameters
            name, nested, inner = key.partition("__")
            if name not in known:
                problem = f"{type(self).__name__} has no parameter {name!r}"
                raise InputError(problem, remedy=did_you_mean(name, known) or f"there are {', '.join(known)}")
            if nested:
                owner = getattr(self, name)
                if not isinstance(owner, Estimator):
                    problem = f"{name} is {owner!r}, which has no parameter {inner!r}"
                    raise InputError(
                        problem, remedy=f"pass an object as {{}}, such as {name}=Sliced()", options=[Option(name)]
                    )
                owner.set_params(**{inner: value})
            else:
                setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        values = {name: (repr(getattr(self, name)), repr(default)) for name, default in self._defaults().items()}
        given = [f"{name}={value}" for name, (value, default) in values.items() if value != default]
        return f"{type(self).__name__}({', '.join(given)})"

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags

        is_transformer = hasattr(self, "transform")
        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=False),
            transformer_tags=TransformerTags() if is_transformer else None,
            input_tags=InputTags(two_d_array=False),  # the input is graphs
        )


class TableTransformer(Estimator):
    """A transformer whose results can be tables of pandas or polars, with the names of their columns."""

    def get_feature_names_out(self, input_features: object = None) -> Any:
        """Return the names of the columns."""
        raise NotImplementedError

    def set_output(self, *, transform: str | None = None) -> Self:
        """Replace what ``transform`` returns.

        Parameters
        ----------
        transform : "default", "pandas", "polars" or None
            An array, or a table of this library; None leaves the choice as it is.

        Returns
        -------
        self
        """
        if transform not in (None, "default", "pandas", "polars"):
            raise InputError(f'transform must be "default", "pandas", "polars" or None, got {transform!r}')
        if transform is not None:
            self._sklearn_output_config = {"transform": transform}  # which sklearn.clone copies
        return self

    def _as_output(self, values: FloatArray) -> Any:
        """Return an array, or what ``set_output``, or ``sklearn.set_config``, asks for."""
        chosen = getattr(self, "_sklearn_output_config", {}).get("transform")
        if chosen is None and "sklearn" in sys.modules:
            chosen = sys.modules["sklearn"].get_config()["transform_output"]
        if chosen in (None, "default"):
            return values
        frame = import_module(chosen).DataFrame
        return frame(values, **{"columns" if chosen == "pandas" else "schema": self.get_feature_names_out().tolist()})
