"""Archives: a header and arrays in one file, in memory or as a map of the file."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import platform
import sys
import threading
import warnings
import zipfile
from pathlib import Path

import numpy as np
import pytest

from wassergraph.errors import InputError
from wassergraph.files.archive import ArchiveFormat, write_archive
from wassergraph.files.archive_reader import read_archive

posix_only = pytest.mark.skipif(os.name != "posix", reason="this system has no pipes and sparse files of POSIX")


class CakeError(InputError):
    """A file is not a cake."""


CAKE = ArchiveFormat(
    name="wassergraph cake",
    noun="cake file",
    header_member="cake.json",
    version=2,
    remedy="pass a file of the baker",
    error=CakeError,
)
HEADER = {"flour": 3, "name": "Käse\n", "parts": [1.5, None, {"deep": True}]}
ARRAYS = {
    "arrays/ints": np.arange(-3, 10),
    "arrays/codes": np.array([0, 2**64 - 1, 2**63], dtype=np.uint64),
    "arrays/points": np.linspace(0, 1, 21).reshape(3, 7),
    "arrays/small": np.linspace(0, 1, 5, dtype=np.float32),
    "arrays/bytes": np.arange(5, dtype=np.uint8),
    "arrays/flags": np.array([True, False, True]),
    "arrays/names": np.array(["a", "ä\n,", "\N{BIRTHDAY CAKE}", ""]),
    "arrays/number": np.array(2.5),
    "arrays/word": np.array("one"),
    "arrays/none": np.empty(0),
    "arrays/no_rows": np.empty((0, 3), dtype=np.int32),
    "arrays/no_columns": np.empty((4, 0)),
    "arrays/no_names": np.empty(0, dtype="U5"),
    "cube": np.arange(24, dtype=np.int16).reshape(2, 3, 4),
}
WAYS = [{"memory_map": map_, "verify": verify} for map_ in (False, True) for verify in (False, True)]
every_way = pytest.mark.parametrize("way", WAYS, ids=lambda way: "-".join(name for name in way if way[name]) or "plain")


@pytest.fixture
def path(tmp_path) -> Path:
    return tmp_path / "a.cake"


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> bytes:
    path = tmp_path_factory.mktemp("archives") / "a.cake"
    write_archive(path, CAKE, HEADER, ARRAYS)
    return path.read_bytes()


@pytest.fixture(scope="module")
def small(tmp_path_factory) -> bytes:
    path = tmp_path_factory.mktemp("archives") / "small.cake"
    write_archive(path, CAKE, {}, {"a": np.arange(3), "b": np.array(["x", "yz"])})
    return path.read_bytes()


def assert_equal(found, expected) -> None:
    assert list(found) == list(expected)
    for name, array in expected.items():
        assert found[name].dtype == array.dtype
        np.testing.assert_array_equal(found[name], array, strict=True)


def assert_refused(path: Path, content: bytes, message: str, **way: bool) -> None:
    path.write_bytes(content)
    with pytest.raises(CakeError, match=message) as caught:
        read_archive(path, CAKE, **way)
    assert caught.value.file == path


# What is written comes back


@every_way
def test_everything_comes_back(path, data, way):
    path.write_bytes(data)
    header, arrays = read_archive(path, CAKE, **way)
    assert {name: header[name] for name in HEADER} == HEADER
    assert (header["format"], header["format_version"]) == ("wassergraph cake", 2)
    assert_equal(arrays, ARRAYS)
    for array in arrays.values():
        assert type(array) is np.ndarray
        assert array.flags.aligned
        assert array.flags.c_contiguous
        assert array.flags.writeable
        assert array.dtype.isnative


def test_an_archive_without_arrays(path):
    write_archive(path, CAKE, HEADER, {})
    assert read_archive(str(path), CAKE, memory_map=True)[1] == {}


@pytest.mark.parametrize(
    "array",
    [
        np.asfortranarray(np.arange(12.0).reshape(3, 4)),
        np.arange(40).reshape(5, 8)[::2, ::-3],
        np.arange(6).reshape(2, 3).T,
        np.broadcast_to(np.arange(3), (4, 3)),
        np.arange(5, dtype=">i8"),
        np.array(["a", "bc"], dtype=">U3"),
        np.arange(2**21 + 5, dtype=np.int64),  # several blocks
        np.arange(2**20, dtype=np.int64).reshape(2**10, -1).T,
    ],
)
def test_arrays_of_any_layout_come_back_in_rows(path, array):
    for memory_map in (False, True):
        write_archive(path, CAKE, {}, {"a": array})
        found = read_archive(path, CAKE, memory_map=memory_map)[1]["a"]
        np.testing.assert_array_equal(found, array)
        assert found.flags.c_contiguous
        assert found.dtype == array.dtype.newbyteorder("=")


def test_the_same_content_is_the_same_file(path, data, tmp_path):
    write_archive(path, CAKE, HEADER, {name: array.copy(order="F") for name, array in ARRAYS.items()})
    assert path.read_bytes() == data
    _, arrays = read_archive(path, CAKE, memory_map=True)
    write_archive(tmp_path / "b.cake", CAKE, HEADER, arrays)
    assert (tmp_path / "b.cake").read_bytes() == data


def test_a_map_may_be_written_over_the_file_it_maps(path, data):
    path.write_bytes(data)
    _, arrays = read_archive(path, CAKE, memory_map=True)
    if os.name == "posix":
        write_archive(path, CAKE, HEADER, arrays)
    assert path.read_bytes() == data
    assert_equal(arrays, ARRAYS)


def test_other_programs_read_the_file(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == ["cake.json", *(f"{name}.npy" for name in ARRAYS)]
        assert json.loads(archive.read("cake.json"))["flour"] == 3
        for name, array in ARRAYS.items():
            np.testing.assert_array_equal(np.load(io.BytesIO(archive.read(f"{name}.npy"))), array, strict=True)
    assert data[30:39] == b"cake.json"
    assert hashlib.sha256(data[:-64]).hexdigest().encode() == data[-64:]


def test_data_begin_at_multiples_of_64_bytes(path):
    """Whatever the lengths of the names: those of codes, unlike any other bytes of the file."""
    codes = np.random.default_rng(0).integers(0, 2**63, (70, 3))
    write_archive(path, CAKE, {}, {"x" * length: codes[length] for length in range(1, 70)})
    data = path.read_bytes()
    assert all(data.index(codes[length].tobytes()) % 64 == 0 for length in range(1, 70))


def test_a_map_is_the_file_until_it_is_changed_and_changes_do_not_reach_the_file(path, data):
    path.write_bytes(data)
    _, arrays = read_archive(path, CAKE, memory_map=True)
    bases = {id(array.base) for array in arrays.values()}
    assert len(bases) == 1
    assert isinstance(arrays["cube"].base, np.memmap)
    arrays["arrays/ints"][:] = 77
    arrays["arrays/names"][0] = "b"
    assert (arrays["arrays/ints"] == 77).all()
    assert path.read_bytes() == data
    assert_equal(read_archive(path, CAKE, memory_map=True)[1], ARRAYS)


def test_arrays_in_memory_do_not_depend_on_the_file(path, data):
    path.write_bytes(data)
    _, arrays = read_archive(path, CAKE)
    path.write_bytes(b"")
    assert_equal(arrays, ARRAYS)


def test_what_another_writer_did_not_align_is_copied(path):
    path.write_bytes(forged({"cake.json": as_header(), "odd.npy": as_npy(np.arange(9.0))}))
    array = read_archive(path, CAKE, memory_map=True)[1]["odd"]
    assert array.flags.aligned
    np.testing.assert_array_equal(array, np.arange(9.0))


@posix_only
@every_way
def test_a_pipe_is_read_and_written(path, data, way):
    os.mkfifo(path)
    writer = threading.Thread(target=lambda: write_archive(path, CAKE, HEADER, ARRAYS))
    writer.start()
    _, arrays = read_archive(path, CAKE, **way)
    writer.join()
    assert_equal(arrays, ARRAYS)


@pytest.mark.parametrize(
    "array", [np.array([object()]), np.array([1j]), np.array([b"a"]), np.array(["2020-01-01"], dtype="M8[D]")]
)
def test_arrays_of_anything_else_are_not_written(path, array):
    path.write_bytes(b"old")
    with pytest.raises(CakeError, match="but a cake file holds numbers and strings only"):
        write_archive(path, CAKE, {}, {"a": np.arange(3), "b": array})
    assert path.read_bytes() == b"old"


def test_a_file_that_cannot_be_finished_leaves_the_old_one(path):
    path.write_bytes(b"old")
    with pytest.raises(TypeError):
        write_archive(path, CAKE, {"x": object()}, {})
    with pytest.raises(AttributeError):
        write_archive(path, CAKE, {}, {"a": np.arange(3), "b": "no array"})
    assert [file.name for file in path.parent.iterdir()] == ["a.cake"]
    assert path.read_bytes() == b"old"


# Large files


def write_sparse(path: Path, n_bytes: int) -> None:
    """Write an archive whose second array is nearly all holes, with a wrong checksum."""
    text = f"{{'descr': '|u1', 'fortran_order': False, 'shape': ({n_bytes},), }}\n".encode()
    start = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text
    with path.open("wb") as file, zipfile.ZipFile(file, "w") as archive:
        archive.writestr("cake.json", as_header())
        archive.writestr("first.npy", as_npy(np.arange(4)))
        part = zipfile.ZipInfo("large.npy")
        part.header_offset, part.CRC = file.tell(), 0
        part.file_size = part.compress_size = len(start) + n_bytes
        file.write(part.FileHeader(zip64=True) + start)
        file.seek(n_bytes - 1, io.SEEK_CUR)
        file.write(b"\x07")
        archive.filelist.append(part)
        archive.start_dir = file.tell()
        archive.writestr("last.npy", as_npy(np.arange(5)))
        archive.comment = b"0" * 64


@posix_only
@pytest.mark.parametrize(
    "n_bytes",
    [
        5 * 2**30,
        pytest.param(
            2**41,  # more than the memory of any computer that runs this
            marks=pytest.mark.skipif(
                (sys.platform, platform.machine()) not in {("linux", "x86_64"), ("linux", "aarch64")},
                reason="this system may refuse to map more than its memory",
            ),
        ),
    ],
)
def test_a_map_of_a_large_file_reads_what_is_used_only(path, n_bytes):
    try:
        write_sparse(path, n_bytes)
    except OSError:
        pytest.skip("this folder has no sparse files of this size")
    _, arrays = read_archive(path, CAKE, memory_map=True, verify=False)
    assert {name: len(array) for name, array in arrays.items()} == {"first": 4, "large": n_bytes, "last": 5}
    assert (arrays["large"][0], arrays["large"][-1], arrays["last"][-1]) == (0, 7, 4)
    arrays["large"][2**32] = 1
    assert read_archive(path, CAKE, memory_map=True, verify=False)[1]["large"][2**32] == 0
    path.unlink()


# Damage


def test_every_changed_byte_is_noticed(path, small):
    for place in range(len(small)):
        content = bytearray(small)
        content[place] ^= 0x5A
        assert_refused(path, bytes(content), "damaged|not a cake file", memory_map=bool(place % 2))


@pytest.mark.parametrize("memory_map", [False, True])
def test_without_the_checksum_a_changed_byte_is_harmless_or_an_error_of_ours(path, small, memory_map):
    n_read = 0
    for place in range(len(small)):
        content = bytearray(small)
        content[place] ^= 0x5A
        path.write_bytes(content)
        with contextlib.suppress(CakeError):
            read_archive(path, CAKE, memory_map=memory_map, verify=False)
            n_read += 1
    assert n_read < len(small)


@every_way
def test_a_file_that_is_cut_short_is_refused(path, small, data, way):
    for content, lengths in [(small, range(len(small))), (data, range(0, len(data), 97))]:
        for length in lengths:
            assert_refused(path, content[:length], "damaged or incomplete: its end|not a cake file", **way)


@every_way
def test_a_file_with_a_hole_or_with_more_is_refused(path, small, way):
    assert_refused(path, small + b"x", "damaged or incomplete", **way)
    assert_refused(path, small + small, "damaged or incomplete|cannot be read", **way)
    assert_refused(path, b"x" + small, "not a cake file", **way)
    for place in range(40, len(small) - 90, 7):
        assert_refused(path, small[:place] + small[place + 5 :], "damaged or incomplete|cannot be read", **way)
        assert_refused(path, small[:place] + b"12345" + small[place:], "damaged or incomplete|cannot be read", **way)


@every_way
def test_foreign_files_are_refused(path, way):
    for content in (b"", b"hello", b"PK\x03\x04", b"\x80\x04\x95", bytes(1000), b"PK\x05\x06" + bytes(18)):
        assert_refused(path, content, "this is not a cake file; pass a file of the baker", **way)
    for name in ("other.txt", "cake.jso", "cake.JSON"):
        assert_refused(path, forged({name: b"{}"}), "this is not a cake file", **way)
    with pytest.raises(FileNotFoundError):
        read_archive(path.parent / "nothing.cake", CAKE, **way)


def test_files_of_two_formats_are_not_confused(path, data):
    path.write_bytes(data)
    for other in (CAKE._replace(header_member="pie.json"), CAKE._replace(name="wassergraph pie")):
        with pytest.raises(CakeError, match="this is not a cake file"):
            read_archive(path, other)


# Forgeries: the checksum is right, but the content is not what write_archive writes


def as_npy(array, **options) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, **options)
    return buffer.getvalue()


def as_header(**changes) -> bytes:
    return json.dumps({"format": CAKE.name, "format_version": 2, "library_version": "0.1", **changes}).encode()


def sealed(data: bytes) -> bytes:
    return data[:-64] + hashlib.sha256(data[:-64]).hexdigest().encode()


def forged(members: dict[str, bytes] | list[tuple[str, bytes]], compression: int = zipfile.ZIP_STORED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, content in members.items() if isinstance(members, dict) else members:
            archive.writestr(name, content)
        archive.comment = b"0" * 64
    return sealed(buffer.getvalue())


@every_way
@pytest.mark.parametrize(
    ("header", "message"),
    [
        (
            as_header(format_version=3, library_version="9.9"),
            r"by wassergraph 9\.9 with the format version 3, .*; update",
        ),
        (as_header(format_version=0), "the format version is 0, which no version"),
        (as_header(format_version="1"), "the format version is '1', which no version"),
        (as_header(format_version=None), "the format version is None, which no version"),
        (as_header(format_version=True), "the format version is True, which no version"),
        (as_header(format="cake"), "this is not a cake file"),
        (b"[]", "this is not a cake file"),
        (b"{", "the cake file cannot be read"),
        (b"", "the cake file cannot be read"),
        (b"\xff", "the cake file cannot be read"),
        (b"[" * 100_000, "the cake file cannot be read"),
    ],
)
def test_a_header_that_makes_no_sense_is_refused(path, header, message, way):
    assert_refused(path, forged({"cake.json": header}), message, **way)


def test_earlier_versions_are_read(path):
    path.write_bytes(forged({"cake.json": as_header(format_version=1)}))
    assert read_archive(path, CAKE)[0]["format_version"] == 1


def test_a_newer_version_may_contain_anything(path):
    content = forged({"cake.json": as_header(format_version=3), "new.bin": b"of the future"})
    assert_refused(path, content, "update wassergraph")


@every_way
@pytest.mark.parametrize("compression", [zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA])
def test_compressed_parts_are_refused(path, compression, way):
    content = forged({"cake.json": as_header(), "a.npy": as_npy(np.zeros(1000))}, compression)
    assert_refused(path, content, "has compressed parts, which no cake file has", **way)


@every_way
@pytest.mark.parametrize("names", [("a.npy", "a.npy"), ("a.npy", "a"), ("a.npy", "cake.json")])
def test_parts_that_share_a_name_are_refused(path, names, way):
    members = [("cake.json", as_header()), *((name, as_npy(np.arange(3))) for name in names)]
    assert_refused(path, forged(members), "overlap or share a name", **way)


@every_way
def test_parts_that_overlap_are_refused(path, way):
    """Two entries of the directory, with different names, for the same bytes; and a part that contains the next."""
    content = forged({"cake.json": as_header(), "a.npy": as_npy(np.arange(3)), "b.npy": as_npy(np.arange(3))})
    second, third = (content.rindex(b"PK\x01\x02", 0, content.rindex(name)) for name in (b"a.npy", b"b.npy"))
    twice = bytearray(content)
    twice[third + 42 : third + 46] = twice[second + 42 : second + 46]
    assert_refused(path, sealed(bytes(twice)), "overlap or share a name", **way)
    longer = bytearray(content)
    longer[second + 20 : second + 28] = (len(as_npy(np.arange(3))) + 1).to_bytes(4, "little") * 2
    assert_refused(path, sealed(bytes(longer)), "overlap or share a name", **way)
    beyond = bytearray(content)
    beyond[third + 20 : third + 28] = (2**31).to_bytes(4, "little") * 2
    assert_refused(path, sealed(bytes(beyond)), "overlap or share a name", **way)


def npy_of(text: str, content: bytes = b"") -> bytes:
    """Write an array whose header is any text."""
    return b"\x93NUMPY\x01\x00" + (len(text) + 1).to_bytes(2, "little") + text.encode() + b"\n" + content


def described(descr: str, shape: str, content: bytes = b"", order: str = "False") -> bytes:
    return npy_of(f"{{'descr': {descr!r}, 'fortran_order': {order}, 'shape': {shape}, }}", content)


@every_way
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (as_npy(np.array([object()]), allow_pickle=True), "is not an array of numbers or strings"),
        (as_npy(np.array([1j])), "which are not the data that follow"),
        (as_npy(np.zeros(2, dtype=[("a", "i8")])), "which are not the data that follow"),
        (as_npy(np.asfortranarray(np.ones((2, 3)))), "its columns follow each other"),
        (as_npy(np.arange(3))[:-1], "which are not the data that follow"),
        (as_npy(np.arange(3)) + b"x", "which are not the data that follow"),
        (as_npy(np.arange(3))[:30], "is not an array"),
        (b"\x93NUMPY\x02\x00" + as_npy(np.arange(3))[8:], "the version of the array is not 1.0"),
        (b"no array", "is not an array"),
        (b"", "is not an array"),
        (described("<i8", "(400000000000,)", bytes(24)), "which are not the data that follow"),
        (described("<i8", f"({2**61},)"), "which are not the data that follow"),
        (described("<i8", f"({2**64 + 3},)", bytes(24)), "which are not the data that follow"),
        (described("<i8", "(-1, -3)", bytes(24)), "is not an array"),
        (described("<i8", f"(0, {10**30})"), "is not an array"),
        (described("<i8", f"(0, {2**62}, {2**62})"), "is not an array"),
        (described("<i8", str((1,) * 100), bytes(8)), "is not an array"),
        (described("<U0", "(1000000000000,)"), "is not an array"),
        (described("|O", "(1,)", bytes(8)), "is not an array"),
        (npy_of("(((("), "is not an array"),
        (npy_of("{[]: 1}"), "is not an array"),
        (npy_of("-" * 9000 + "1"), "is not an array"),
        (npy_of("x" * 60_000), "is not an array"),
    ],
)
def test_an_array_that_makes_no_sense_is_refused(path, content, message, way):
    members = {"cake.json": as_header(), "good.npy": as_npy(np.arange(3)), "bad.npy": content}
    assert_refused(path, forged(members), message, **way)


def test_the_last_array_does_not_borrow_bytes_of_what_follows(path):
    """A header that describes more than its part has, but no more than the file has."""
    members = {"cake.json": as_header(), "a.npy": described("|u1", "(40,)", bytes(8)), "b.npy": as_npy(np.arange(3))}
    assert_refused(path, forged(members), "a.npy is not an array .* not the data that follow", memory_map=True)
