"""Functions that call each other in compiled code, and how their arguments are typed.

A function that is decorated with :func:`compiled` stays a function of Python. Where compiled code calls it, it is
translated for the types that its annotations say, into the same library as its caller, and LLVM optimizes all of them
once, together. (Functions decorated with numba's ``njit`` are optimized once for themselves, and again in every other
one that calls them; most of the time of compiling goes there.)

Arguments that are arrays are passed as addresses. An array is seven words, and every function that gets one counts
references to it, which takes time to compile, and some to run. An address is one word, and is indexed as an array is;
its length is known to the caller only, and it does not keep the array alive. Functions of numba's own ``njit``, as in
some tests, can pass arrays themselves.

Compiled functions that are called from Python get a task, a named tuple of all that they need, as the address of its
words (native.py). A word is an integer, a float, or the address of an array.
"""

from __future__ import annotations

import inspect
import itertools
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar, cast
from weakref import WeakKeyDictionary

from llvmlite import ir
from numba import core, extending
from numba.core import types
from numba.core.datamodel import models
from numba.extending import intrinsic, register_model, type_callable
from numpy.typing import NDArray

from wassergraph.transport.layout import LANES

Function = TypeVar("Function", bound=Callable[..., Any])
Numbers = TypeVar("Numbers", bound=NDArray[Any])
_core: Any = core  # these have no types
_pointer: Any = types.CPointer
var_arg: Any = types.VarArg
signature_of: Any = _core.typing.signature

_DATA = 4  # the position of the address among the seven words of an array

#: The type of the address of a list of words.
WORDS = _pointer(types.int64)


def lower(function: Any, *kinds: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register how calls of a function are generated, for arguments of some types."""
    builtin: Any = extending.lower_builtin
    register: Callable[[Callable[..., Any]], Callable[..., Any]] = builtin(function, *kinds)
    return register


class LanesType(types.Type):
    """The type of eight floats (lanes.py)."""

    def __init__(self) -> None:
        super().__init__(name="Lanes")


@register_model(LanesType)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, ir.VectorType(ir.DoubleType(), LANES))  # type: ignore[no-untyped-call]


#: The types of arguments, results and fields of tasks, by their annotations.
_TYPES: dict[str, Any] = {
    "None": types.void,
    "int": types.int64,
    "np.int64": types.int64,
    "np.float32": types.float32,
    "np.uint32": types.uint32,
    "np.uint64": types.uint64,
    "bool": types.boolean,
    "float": types.float64,
    "Lanes": LanesType(),
    "IntArray": _pointer(types.int64),
    "FloatArray": _pointer(types.float64),
    "BoolArray": _pointer(types.uint8),
    "Nodes": _pointer(types.uint32),
    "NDArray[np.float32]": _pointer(types.float32),
    "NDArray[np.int32]": _pointer(types.int32),
    "NDArray[np.uint64]": _pointer(types.uint64),
}


def type_of(annotation: Any, module: str) -> Any:
    """Return the compiled type of an annotation in a module; arrays become addresses. None if it is not known."""
    name = getattr(annotation, "__forward_arg__", annotation).removesuffix(" | None")
    if name in _TYPES:
        return _TYPES[name]
    if name.startswith("tuple["):
        return _core.types.BaseTuple.from_types([type_of(part.strip(), module) for part in name[6:-1].split(",")])
    task: Any = getattr(sys.modules[module], name, None)
    return task_type(task) if hasattr(task, "_fields") else None


def task_type(task: type[Any], absent: Sequence[str] = ()) -> Any:
    """Return the compiled type of a named tuple; absent fields are None, and code that needs them is left out."""
    kinds = [
        types.none if name in absent else type_of(each, task.__module__) for name, each in task.__annotations__.items()
    ]
    return _core.types.BaseTuple.from_types(kinds, task)


def compiled(fastmath: set[str]) -> Callable[[Function], Function]:
    """Let compiled code call a function, whose annotations are the types of its arguments and of its result.

    Parameters
    ----------
    fastmath : set of str
        What LLVM may assume about floats.
    """

    def register(function: Function) -> Function:
        parameters = inspect.signature(function)
        libraries: WeakKeyDictionary[Any, dict[Any, Any]] = WeakKeyDictionary()

        @type_callable(function)
        def typer(context: Any) -> Callable[..., Any]:
            def choose(*given: Any) -> Any:
                wanted = [type_of(each.annotation, function.__module__) for each in parameters.parameters.values()]
                result = type_of(parameters.return_annotation, function.__module__)
                return signature_of(result, *map(_accepted, wanted, given))

            choose.pysig = parameters  # type: ignore[attr-defined]
            return choose

        @lower(function, var_arg(types.Any))
        def call(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            known = libraries.setdefault(context.active_code_library, {})
            if signature not in known:
                known[signature] = _translate(context, function, signature, fastmath)
            if _has_arrays(signature):  # and may allocate more, or raise an error
                return context.call_internal(builder, known[signature], signature, values)
            return context.call_internal_no_propagate(builder, known[signature], signature, values)[1]

        return function

    return register


def _accepted(wanted: Any, given: Any) -> Any:
    """Return the type of an argument: arrays, and tuples of them, can be given as they are, and None in their place."""
    return given if wanted is None or isinstance(given, types.Array | types.BaseTuple | types.NoneType) else wanted


def _has_arrays(signature: Any) -> bool:
    """Return whether some argument is an array, or a tuple with one."""
    kinds = list(signature.args)
    while kinds:
        kind: Any = kinds.pop()
        if isinstance(kind, types.Array):
            return True
        kinds += getattr(kind, "types", ())  # of a tuple
    return False


def _translate(context: Any, function: Any, signature: Any, fastmath: set[str]) -> Any:
    """Translate a function into the library of its caller; return what calls need to know of it."""
    flags = _core.compiler.Flags()
    flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
    flags.nrt = _has_arrays(signature)
    flags.error_model = "numpy"
    flags.fastmath = _core.cpu_options.FastMathOptions(fastmath)
    library = context.active_code_library
    done = _core.compiler.compile_internal(
        context.typing_context, context, library, function, signature.args, signature.return_type, flags, {}
    )
    return done.fndesc


def first_entry(builder: Any, kind: Any, value: Any) -> Any:
    """Generate the address of the first entry of an array; anything else is returned as it is."""
    return builder.extract_value(value, _DATA) if isinstance(kind, types.Array) else value


def run_task(function: Any, words: Any) -> None:
    """Run a function of native.py on a task; both are what ``NativeFunction.prepared`` returned."""
    function(words)


@type_callable(run_task)
def _type_run_task(context: Any) -> Callable[..., Any]:
    def choose(function: Any, words: Any) -> Any:
        return types.void

    return choose


@lower(run_task, types.Integer, types.Array)
@lower(run_task, types.Integer, types.CPointer)
def _generate_run_task(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    words = first_entry(builder, signature.args[1], values[1])
    kind = ir.FunctionType(ir.VoidType(), [words.type])
    builder.call(builder.inttoptr(values[0], kind.as_pointer()), [words])
    return context.get_dummy_value()


def from_entry(array: Numbers, first: int) -> Numbers:
    """Return what begins at an entry of an array, as an address; slices take longer to compile."""
    return cast(Numbers, array[first:])


@type_callable(from_entry)
def _type_from_entry(context: Any) -> Callable[..., Any]:
    def choose(array: Any, first: Any) -> Any:
        return _pointer(array.dtype)

    return choose


@lower(from_entry, types.Any, types.Integer)
def _generate_from_entry(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    return builder.gep(first_entry(builder, signature.args[0], values[0]), [values[1]])


def task_reader(task: Any) -> Any:
    """Make an operation of compiled code that returns the task, of a compiled type, whose words are at an address."""

    def read(context: Any, words: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            return _read(context, builder, task, values[0], itertools.count())

        return task(WORDS), code

    return intrinsic(read)


def _read(context: Any, builder: Any, kind: Any, words: Any, position: Iterator[int]) -> Any:
    """Generate a value of a type from the next words."""
    parts = getattr(kind, "types", None)
    if parts is not None:  # it is a tuple
        return context.make_tuple(builder, kind, [_read(context, builder, each, words, position) for each in parts])
    if kind == types.none:
        return context.get_dummy_value()
    word = builder.load(builder.gep(words, [ir.Constant(ir.IntType(64), next(position))]), align=8)
    if isinstance(kind, types.CPointer):
        return builder.inttoptr(word, context.get_value_type(kind))
    if kind == types.float64:
        return builder.bitcast(word, ir.DoubleType())
    return builder.icmp_signed("!=", word, word.type(0)) if kind == types.boolean else word
