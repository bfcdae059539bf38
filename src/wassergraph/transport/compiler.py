"""Compile a function and all that it calls to machine code that needs neither numba nor Python."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Sequence
from typing import Any

import numba as nb
from numba.core import types

from wassergraph.transport.compiled import WORDS, task_reader, task_type


def compile_task(function: Any, absent: Sequence[str]) -> tuple[str, bytes]:
    """Compile a function, whose only argument is a task, for this processor: (name within the code, machine code).

    The fields of the task that are absent are None.
    """
    (parameter,) = inspect.signature(function).parameters.values()
    task = getattr(sys.modules[function.__module__], parameter.annotation)
    read = task_reader(task_type(task, absent))

    def entry(words: Any) -> None:
        function(read(words))

    compiled: Any = nb.cfunc(types.void(WORDS), error_model="numpy")(entry)
    library = compiled._library
    for each in library._final_module.functions:
        if each.is_declaration and each.name.startswith(("Py", "NRT_", "numba_")):
            raise RuntimeError(f"{function.__name__} calls {each.name}, which is not there without numba")
    return compiled.native_name, library._get_compiled_object()
