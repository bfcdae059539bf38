"""Compiled functions as machine code on disk, which is loaded without numba.

numba takes half a second to import, and optimizes a function again in every other one that calls it. Here, a function
and all that it calls are translated by numba and optimized by LLVM once, together. The machine code is stored, for this
processor, these versions and these sources, and the next process loads it in less than a tenth of a second.

A compiled function gets one argument, its task: a named tuple of numbers, arrays, and other such tuples. It runs
without Python's lock, and cannot raise an error.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import importlib
import importlib.util
import operator
import os
import struct
import threading
from collections.abc import Callable
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeAlias

import llvmlite.binding as llvm
import numpy as np

from wassergraph.files.atomic import write_atomically
from wassergraph.parallel.compilation import compile_clock

_COMPILER = "wassergraph.transport.compiler"  # imports numba, which takes half a second
#: The types of arrays, by the annotations of fields.
_ARRAYS: dict[str, np.dtype[Any]] = {
    "IntArray": np.dtype(np.int64),
    "FloatArray": np.dtype(np.float64),
    "BoolArray": np.dtype(np.bool_),
    "Nodes": np.dtype(np.uint32),
    "NDArray[np.float32]": np.dtype(np.float32),
    "NDArray[np.int32]": np.dtype(np.int32),
    "NDArray[np.uint64]": np.dtype(np.uint64),
}
_NOTHING = ctypes.c_char * 0
_DIGEST = 16  # the number of bytes of a checksum
_OFF = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")
_SETTINGS = ("CPU_NAME", "CPU_FEATURES", "ENABLE_AVX", "OPT", "LOOP_VECTORIZE", "SLP_VECTORIZE", "DISABLE_INTEL_SVML")
_lock = threading.Lock()

if hasattr(os, "register_at_fork"):  # a new process must not wait for a thread that it does not have
    os.register_at_fork(after_in_child=_lock._at_fork_reinit)  # type: ignore[attr-defined]

#: A compiled function, which gets the words of its task.
MachineCode: TypeAlias = Callable[[bytes], None]


class NativeFunction:
    """A compiled function, to be called with its task; it is compiled, or loaded, at the first call.

    Parameters
    ----------
    module, name : str
        Where the function is defined; the annotation of its only argument is the type of the task. The module is
        imported only if nothing is stored.
    """

    def __init__(self, module: str, name: str) -> None:
        self._module, self._name = module, name
        # Now: they may change while this process runs.
        self._sources = _hash_sources(__package__ or "") + _hash_sources(module.rpartition(".")[0])
        self._known: dict[tuple[str, ...], MachineCode] = {}

    def __call__(self, task: Any) -> None:
        """Run the function. For tasks in which other fields are None, it is compiled again, without these fields."""
        if compiling_is_off():
            self._python()(_in_rows(task))
        else:
            self._machine_code(task)(_words(task))

    def prepared(self, task: Any) -> tuple[Any, Any]:
        """Return what ``run_task`` of compiled.py needs to run the function on a task, which must be kept meanwhile."""
        if compiling_is_off():
            return self._python(), _in_rows(task)
        address = ctypes.cast(self._machine_code(task), ctypes.c_void_p).value
        return address, np.frombuffer(_words(task), dtype=np.int64)

    def _machine_code(self, task: Any) -> Any:
        absent = tuple(name for name, value in zip(task._fields, task, strict=True) if value is None)
        if absent not in self._known:
            with _lock:
                if absent not in self._known:
                    self._known[absent] = self._load(absent)
        return self._known[absent]

    def _python(self) -> Any:
        return getattr(importlib.import_module(self._module), self._name)

    def _load(self, absent: tuple[str, ...]) -> MachineCode:
        left_out = "".join(f"-without-{field}" for field in absent)
        name = f"{self._module}.{self._name}{left_out}-{_key(self._sources)}.bin"
        stored = _read(name)
        if stored is None:
            with compile_clock().compiling():
                symbol, code, alone = importlib.import_module(_COMPILER).compile_task(self._python(), absent)
            stored = symbol.encode() + b"\0" + code
            if alone:
                _write(name, stored)
        return _link(*stored.split(b"\0", 1))


def compiling_is_off() -> bool:
    """Return whether functions run in Python, which is for finding mistakes, and for measuring what tests cover."""
    return _OFF


def _in_rows(task: Any) -> Any:
    """Return a task whose arrays have one dimension, as addresses have."""
    fields = (
        _in_rows(value) if isinstance(value, tuple) else value.reshape(-1) if isinstance(value, np.ndarray) else value
        for value in task
    )
    return type(task)(*fields)


def _words(task: Any) -> bytes:
    """Return the words of a task."""
    values = _values(task)
    return struct.pack("=" + "".join(["d" if isinstance(value, float) else "q" for value in values]), *values)


def _values(task: Any) -> list[int | float]:
    """Return the numbers of a task, and the addresses of its arrays."""
    values: list[int | float] = []
    for name, dtype, is_float, value in zip(task._fields, *_kinds(task.__class__), task, strict=True):
        if value is None:
            continue
        if dtype is not None:
            kept = getattr(value, "flags", None)
            if kept is None or value.dtype != dtype or not kept.c_contiguous:
                raise TypeError(f"{name} must be a contiguous array of {dtype}, got {value!r}")
            values.append(_address(value))
        elif isinstance(value, tuple):
            if any(each is None for each in value):
                raise TypeError(f"a field of {name} is None, which only those of the task itself may be")
            values += _values(value)
        else:
            values.append(float(value) if is_float else operator.index(value))
    return values


def _address(array: Any) -> int:
    """Return where an array is; ``array.__array_interface__``, which all arrays have, takes several times as long."""
    if array.flags.writeable:
        return ctypes.addressof(_NOTHING.from_buffer(array))
    return int(array.__array_interface__["data"][0])


@functools.cache
def _kinds(task: Any) -> tuple[list[np.dtype[Any] | None], list[bool]]:
    """Return what the fields of a type of tasks are: the type of an array or None, and whether it is a float."""
    names = [getattr(each, "__forward_arg__", each).removesuffix(" | None") for each in task.__annotations__.values()]
    return [_ARRAYS.get(name) for name in names], [name == "float" for name in names]


# On disk


def cache_folders() -> list[Path]:
    """Return where machine code may be: where NUMBA_CACHE_DIR says, or next to the sources, or in the user's cache."""
    wanted = os.environ.get("NUMBA_CACHE_DIR")
    if wanted:
        return [Path(wanted) / "wassergraph"]
    folders = [Path(__file__).parent / "__pycache__"]
    with suppress(RuntimeError):  # somebody without a home
        folders.append(Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "wassergraph")
    return folders


@functools.cache
def _hash_sources(package: str) -> bytes:
    """Return a hash of the source files of a package: what a function calls is there."""
    found = importlib.util.find_spec(package) if package else None
    folders = (found and found.submodule_search_locations) or ()
    files = sorted(file for folder in folders for file in Path(folder).glob("*.py"))
    return hashlib.blake2b(b"\0".join(file.read_bytes() for file in files)).digest()


@functools.cache
def _key(sources: bytes) -> str:
    """Return a name for the processor, the versions, the settings and the sources that machine code is for."""
    versions = (version(name) for name in ("numba", "llvmlite", "wassergraph"))
    settings = (os.environ.get(f"NUMBA_{name}", "") for name in _SETTINGS)
    processor = llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten(), llvm.get_process_triple()
    described = "\n".join([*versions, *settings, *processor]).encode()
    return hashlib.blake2b(described + sources, digest_size=12).hexdigest()


def _read(name: str) -> bytes | None:
    """Return what is stored under a name; None if there is nothing, or if it is damaged."""
    for folder in cache_folders():
        with suppress(OSError):
            content = (folder / name).read_bytes()
            if _digest(content[_DIGEST:]) == content[:_DIGEST]:
                return content[_DIGEST:]
    return None


def _write(name: str, content: bytes) -> None:
    """Store something under a name, in the first folder that can be written; if none can, the next process compiles."""
    for folder in cache_folders():
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            write_atomically(folder / name, _digest(content) + content)
            return


def _digest(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=_DIGEST).digest()


def _link(symbol: bytes, code: bytes) -> MachineCode:
    """Return the function of this name in machine code."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine()
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    address = engine.get_function_address(symbol.decode())
    engine.detach()  # machine code must outlive all calls, and is never freed
    return ctypes.CFUNCTYPE(None, ctypes.c_char_p)(address)
