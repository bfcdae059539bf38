"""The file of a model: a header and arrays, as :mod:`wassergraph.files.archive` writes them.

    model.json              the name of the model, the format version, and every number that is not an array
    arrays/*.npy            coefficients, the scheme's mean and scale, the scores of the selection
    graphs/*.npy            the training graphs, as a GraphBatch holds them

Whether arrays have the right types and shapes is checked by the model that reads them.

Format versions
---------------
1   written by wassergraph 0.1 before its first release; no name of the model, which is always a WWLClassifier
2   the header names the model; ``standardize``, ``C_values`` and ``score`` have these names
3   all training graphs, not only the support graphs, with their names and the distance of each to the nearest other;
    also with their targets, unless the file was written before these were kept
4   the power of the kernel, the parameters of every matrix that was chosen from, and whether the degree is an
    attribute; also, unless the file was written before these were kept, the name of the target and how graphs were read
5   the metric, with its class and parameters, in place of parameters of the model; the classes of models are called
    GraphClassifier, GraphRegressor and GraphGaussianProcess, formerly WWLClassifier, WWLRegressor, WWLGaussianProcess
6   the columns of the training graphs, their names and scales, and the weight of their distances; which numbers are
    bounds; stereochemistry; models of several targets, below targets/0/, targets/1/, …, with all graphs once
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from numpy.typing import NDArray

from wassergraph.errors import InputError
from wassergraph.files.archive import ArchiveFormat, write_archive
from wassergraph.files.archive_reader import read_archive

FORMAT_VERSION = 6
#: The models of files of versions up to 4, as they are called now; the header of version 1 does not name its model.
_RENAMED = {
    None: "GraphClassifier",
    "WWLClassifier": "GraphClassifier",
    "WWLRegressor": "GraphRegressor",
    "WWLGaussianProcess": "GraphGaussianProcess",
}


class ModelFileError(InputError):
    """A file is not a model file, or it is damaged."""


class ModelState(NamedTuple):
    """The state of a fitted model: a header that JSON can hold, and arrays by name."""

    header: dict[str, Any]
    arrays: dict[str, NDArray[Any]]


_FORMAT = ArchiveFormat(
    name="wassergraph model",
    noun="model file",
    header_member="model.json",
    version=FORMAT_VERSION,
    remedy="pass a file that GraphClassifier.save or wassergraph train has written",
    error=ModelFileError,
)


def write_model(path: str | Path, model: str, state: ModelState) -> None:
    """Write a model to one file, completely or not at all.

    Parameters
    ----------
    path : str or Path
        The file.
    model : str
        The name of the estimator.
    state : ModelState
        The state of the fitted estimator.
    """
    write_archive(path, _FORMAT, {"model": model, **state.header}, state.arrays)


def read_model(path: str | Path) -> ModelState:
    """Read what :func:`write_model` wrote, in this format version or an earlier one.

    Returns
    -------
    ModelState
        The header, which names the model in every version, and the arrays.

    Raises
    ------
    ModelFileError
        If the file is not a model, is damaged, or was written by a newer version of the library.
    """
    state = ModelState(*read_archive(path, _FORMAT))
    version = state.header["format_version"]
    header, arrays = _from_version_1(state) if version == 1 else state
    if version < 5:
        header = {**header, "model": _RENAMED.get(header.get("model"), header.get("model"))}
    return ModelState(header, arrays)


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
