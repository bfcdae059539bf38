"""Compiled functions as machine code on disk, which is loaded without numba.

numba takes half a second to import, and optimizes a function again in every other one that calls it. Here, a function
and all that it calls are translated by numba and optimized by LLVM once, together. The machine code is stored, for this
processor, these versions and these sources, and the next process loads it in a few milliseconds.

A compiled function gets one argument, its task: a named tuple of numbers, arrays, and other such tuples. It runs
without Python's lock, and cannot raise an error.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import importlib
import os
import struct
import threading
from collections.abc import Callable, Iterator
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
    "NDArray[np.int32]": np.dtype(np.int32),
    "NDArray[np.uint64]": np.dtype(np.uint64),
}
_DIGEST = 16  # the number of bytes of a checksum
_lock = threading.Lock()

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
        self._known: dict[tuple[str, ...], MachineCode] = {}

    def __call__(self, task: Any) -> None:
        """Run the function. For tasks in which other fields are None, it is compiled again, without these fields."""
        if compiling_is_off():
            self._python()(task)
        else:
            self._machine_code(task)(_words(task))

    def prepared(self, task: Any) -> tuple[Any, Any]:
        """Return what ``run_task`` of compiled.py needs to run the function on a task, whose arrays are kept alive."""
        if compiling_is_off():
            return self._python(), task
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
        without = "".join(f"-without-{name}" for name in absent)
        file = cache_folder() / f"{self._name}{without}-{_key()}.bin"
        stored = _read(file)
        if stored is None:
            with compile_clock().compiling():
                symbol, code = importlib.import_module(_COMPILER).compile_task(self._python(), absent)
            stored = symbol.encode() + b"\0" + code
            with suppress(OSError):  # then the next process compiles it again
                file.parent.mkdir(parents=True, exist_ok=True)
                write_atomically(file, _digest(stored) + stored)
        return _link(*stored.split(b"\0", 1))


def compiling_is_off() -> bool:
    """Return whether functions run in Python, which is for finding mistakes, and for measuring what tests cover."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")


def _words(task: Any) -> bytes:
    """Return the words of a task."""
    values = list(_values(task))
    return struct.pack("=" + "".join("d" if isinstance(value, float) else "q" for value in values), *values)


def _values(task: Any) -> Iterator[int | float]:
    """Yield the numbers of a task, and the addresses of its arrays."""
    for name, kind, value in zip(task._fields, _kinds(task.__class__), task, strict=True):
        if isinstance(value, tuple):
            yield from _values(value)
        elif isinstance(value, np.ndarray):
            if value.dtype != _ARRAYS[kind] or not value.flags.c_contiguous:
                raise TypeError(f"{name} must be a contiguous array of {_ARRAYS[kind]}, got {value.dtype}")
            yield value.__array_interface__["data"][0]
        elif value is not None:
            yield float(value) if kind == "float" else int(value)


@functools.cache
def _kinds(task: Any) -> list[str]:
    """Return the annotations of the fields of a type of tasks."""
    names = (getattr(each, "__forward_arg__", each) for each in task.__annotations__.values())
    return [str(name).removesuffix(" | None") for name in names]


# On disk


def cache_folder() -> Path:
    """Return where machine code is stored: as numba's, next to the sources, or where NUMBA_CACHE_DIR says."""
    wanted = os.environ.get("NUMBA_CACHE_DIR")
    if wanted:
        return Path(wanted) / "wassergraph"
    beside = Path(__file__).parent / "__pycache__"
    if os.access(beside if beside.exists() else beside.parent, os.W_OK):
        return beside
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "wassergraph"


@functools.cache
def _key() -> str:
    """Return a name for the processor, the versions and the sources that machine code is for."""
    sources = sorted(Path(__file__).parent.glob("*.py"))
    settings = [os.environ.get(f"NUMBA_{name}", "") for name in ("CPU_NAME", "CPU_FEATURES", "ENABLE_AVX", "OPT")]
    processor = llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten(), llvm.get_process_triple()
    described = "\n".join([version("numba"), version("llvmlite"), *settings, *processor]).encode()
    parts = [described, *(source.read_bytes() for source in sources)]
    return hashlib.blake2b(b"\0".join(parts), digest_size=12).hexdigest()


def _read(file: Path) -> bytes | None:
    """Return what is stored in a file; None if there is none, or if it is damaged."""
    try:
        content = file.read_bytes()
    except OSError:
        return None
    return content[_DIGEST:] if _digest(content[_DIGEST:]) == content[:_DIGEST] else None


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
