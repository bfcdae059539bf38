"""Compile a function and all that it calls to machine code that needs neither numba nor Python."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Sequence
from typing import Any

import numba as nb
from numba.core import types

from wassergraph.transport.compiled import WORDS, task_reader, task_type

#: What machine code may call: operations of LLVM, and functions that every process has.
_COMMON = ("llvm.", "mem", "exp", "log", "sqrt", "pow", "fma", "floor", "ceil")


def compile_task(function: Any, absent: Sequence[str]) -> tuple[str, bytes, bool]:
    """Compile a function, whose only argument is a task, for this processor.

    The fields of the task that are absent are None. Returns the name of the function within the machine code, the
    code, and whether it can stand alone: if not, it must not be stored, since a process without numba lacks what it
    calls.
    """
    (parameter,) = inspect.signature(function).parameters.values()
    task = getattr(sys.modules[function.__module__], parameter.annotation)
    read = task_reader(task_type(task, absent))

    def entry(words: Any) -> None:
        function(read(words))

    compiled: Any = nb.cfunc(types.void(WORDS), error_model="numpy")(entry)
    library = compiled._library
    called = [*library._final_module.functions, *library._final_module.global_variables]
    alone = all(each.name.startswith(_COMMON) for each in called if each.is_declaration)
    return compiled.native_name, library._get_compiled_object(), alone
