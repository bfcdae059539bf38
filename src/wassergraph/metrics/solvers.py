"""The solvers of optimal transport: objects with parameters, which a metric has."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any, Literal, TypeAlias

import numpy as np

from wassergraph.errors import InputError, InputTypeError, Option
from wassergraph.metrics.estimator import Estimator

RandomState: TypeAlias = int | np.random.RandomState | np.random.Generator | None


class Exact(Estimator):
    """Exact optimal transport: a closed form for labels and for attributes on a line, otherwise a network simplex.

    Parameters
    ----------
    max_iter : int, optional
        The largest number of pivots for each pair of graphs and each depth; exceeding it is an error.

    Attributes
    ----------
    name : str
        The name of the solver, in files and messages.

    See Also
    --------
    WWL : the metric that has a solver

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> wg.distances(graphs, metric=wg.WWL(depth=2, solver=wg.Exact(max_iter=10_000))).shape
    (60, 60)
    """

    def __init__(self, max_iter: int | None = None) -> None:
        self.max_iter = max_iter

    @property
    def name(self) -> str:
        """The name of the solver, in files and messages."""
        return "exact"

    def check(self) -> None:
        """Check the parameters; a wrong one is an error."""
        _check_positive("max_iter", self.max_iter, integer=True)


class Sinkhorn(Estimator):
    """Entropic optimal transport by Sinkhorn's iterations, as in the paper.

    A distance is the cost of the entropic plan, which is not 0 even between equal graphs. The exact solver is faster.

    Parameters
    ----------
    reg : float
        The strength of the entropy, the paper's γ.
    tol : float
        The largest error of the marginals, summed over all nodes.
    max_iter : int, optional
        The largest number of iterations for each pair of graphs and each depth; exceeding it is an error.

    Attributes
    ----------
    name : str
        The name of the solver, in files and messages.

    See Also
    --------
    WWL : the metric that has a solver

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> D = wg.distances(graphs, metric=wg.WWL(depth=2, solver=wg.Sinkhorn(reg=1.0)))
    >>> bool(D[0, 0] > 0)
    True
    """

    def __init__(self, reg: float, tol: float = 1e-9, max_iter: int | None = None) -> None:
        self.reg = reg
        self.tol = tol
        self.max_iter = max_iter

    @property
    def name(self) -> str:
        """The name of the solver, in files and messages."""
        return "sinkhorn"

    def check(self) -> None:
        """Check the parameters; a wrong one is an error."""
        _check_positive("reg", self.reg)
        _check_positive("tol", self.tol)
        _check_positive("max_iter", self.max_iter, integer=True)


class Sliced(Estimator):
    """The mean of the exact transport on random lines: another distance, whose kernel is positive definite.

    It works with attributes only.

    Parameters
    ----------
    n_projections : int
        The number of lines.
    random_state : int, RandomState, Generator or None
        The seed that the lines are drawn with. A metric that is fitted, and a model, keep it.

    Attributes
    ----------
    name : str
        The name of the solver, in files and messages.

    See Also
    --------
    WWL : the metric that has a solver

    Examples
    --------
    >>> import wassergraph as wg
    >>> graphs, y = wg.load_dataset("demo")
    >>> wg.distances(graphs, metric=wg.WWL(depth=2, solver=wg.Sliced(random_state=0))).shape
    (60, 60)
    """

    def __init__(self, n_projections: int = 100, random_state: RandomState = 0) -> None:
        self.n_projections = n_projections
        self.random_state = random_state

    @property
    def name(self) -> str:
        """The name of the solver, in files and messages."""
        return "sliced"

    def check(self) -> None:
        """Check the parameters; a wrong one is an error."""
        _check_positive("n_projections", self.n_projections, integer=True)
        _check_random_state(self.random_state)

    def with_seed(self) -> Sliced:
        """Return the same solver with a number as ``random_state``, drawn if need be, so that lines can be drawn again.

        Returns
        -------
        Sliced
            The solver with its seed.
        """
        return Sliced(self.n_projections, seed_of(self))


Solver: TypeAlias = Exact | Sinkhorn | Sliced
#: What a metric takes as its solver.
SolverChoice: TypeAlias = Solver | Literal["exact"]


def read_solver(solver: Any) -> Solver:
    """Return a solver whose parameters are right; raise an error if they are not."""
    if isinstance(solver, str) and solver == "exact":
        return Exact()
    if not isinstance(solver, Exact | Sinkhorn | Sliced):
        problem = f'{{}} must be "exact", Exact(), Sinkhorn(reg=…) or Sliced(), got {solver!r}'
        raise InputTypeError(problem, options=[Option("solver")])
    solver.check()
    return solver


def seeded(solver: Solver) -> Solver:
    """Return a solver that computes the same again elsewhere: random lines get a seed."""
    return solver.with_seed() if isinstance(solver, Sliced) else solver


def seed_of(solver: Sliced) -> int:
    """Return the seed of random lines, drawn if need be."""
    random_state = solver.random_state
    if isinstance(random_state, int | np.integer):
        return int(random_state)
    if random_state is None or isinstance(random_state, np.random.Generator):
        return int(np.random.default_rng(random_state).integers(2**32))
    return int(random_state.randint(np.iinfo(np.int32).max))


def _check_random_state(random_state: object) -> None:
    option = Option("random_state")
    if not isinstance(random_state, int | np.integer | np.random.RandomState | np.random.Generator | None):
        problem = f"{{}} must be an integer, RandomState, Generator or None, got {random_state!r}"
        raise InputTypeError(problem, options=[option])
    if isinstance(random_state, int | np.integer) and random_state < 0:
        raise InputError(f"{{}} must be at least 0, got {random_state}", options=[option])


def _check_positive(name: str, number: object, *, integer: bool = False) -> None:
    if number is None:
        return
    noun, bound, kind = ("integer", 2**62, Integral) if integer else ("number", math.inf, Real)
    option = Option(name)
    if not isinstance(number, kind):
        raise InputTypeError(f"{{}} must be {'an' if integer else 'a'} {noun}, got {number!r}", options=[option])
    if not 0 < number < bound:  # type: ignore[operator]
        below = " below 2**62" if integer else ""
        raise InputError(f"{{}} must be a positive {noun}{below}, got {number}", options=[option])
