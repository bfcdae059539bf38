from __future__ import annotations

import struct
import zipfile
from pathlib import Path

import pytest

import wassergraph as wg
from tu_files import FILES, make_folder, make_zip
from wassergraph.formats.tu import archive
from wassergraph.formats.tu.archive import read_tu_files


@pytest.fixture
def folder_and_everything_outside(tmp_path):
    """Yield a folder to read from, and check that reading writes nothing near it."""
    folder = tmp_path / "inside"
    folder.mkdir()
    yield folder
    assert [path.name for path in tmp_path.iterdir()] == ["inside"]


@pytest.mark.parametrize("prefix", ["TINY", "TINY/TINY", "any name/TINY", "TINY//TINY", "./TINY/TINY"])
def test_zips_flat_and_nested(tmp_path, prefix):
    source = read_tu_files(make_zip(tmp_path / "any.zip", prefix))
    assert source.name == "TINY"
    assert source.files == {suffix: text.encode() for suffix, text in FILES.items()}


@pytest.mark.parametrize("inner", [".", "TINY", "any name"])
def test_folders_flat_and_nested(tmp_path, inner):
    make_folder(tmp_path / inner)
    assert read_tu_files(tmp_path).files["A"] == FILES["A"].encode()


def test_files_added_by_macos_are_ignored(tmp_path):
    extra = {"__MACOSX/TINY/._TINY_A.txt": "junk", "__MACOSX/._TINY_A.txt": "junk"}
    assert read_tu_files(make_zip(tmp_path / "a.zip", extra=extra)).name == "TINY"


def test_too_deep_missing_and_several(tmp_path):
    with pytest.raises(ValueError, match=r"deep\.zip: there is no NAME_A\.txt, neither at the top nor one folder deep"):
        read_tu_files(make_zip(tmp_path / "deep.zip", "a/b/TINY"))
    with pytest.raises(ValueError, match="there are several data sets, OTHER, TINY/TINY"):
        read_tu_files(make_zip(tmp_path / "two.zip", extra={"OTHER_A.txt": "1, 1"}))
    for error in (ValueError, FileNotFoundError):
        with pytest.raises(error, match=r"absent\.zip: it does not exist"):
            read_tu_files(tmp_path / "absent.zip")
        with pytest.raises(error, match=r"there is no NAME_A\.txt"):
            read_tu_files(tmp_path)


@pytest.mark.parametrize(
    "name", ["../evil.txt", "/etc/evil.txt", "TINY/../../evil.txt", "..\\evil.txt", "C:\\evil.txt"]
)
def test_paths_that_lead_out_raise(folder_and_everything_outside, name):
    path = make_zip(folder_and_everything_outside / "a.zip", extra={name: "evil"})
    with pytest.raises(ValueError, match="leads out of the folder"):
        read_tu_files(path)
    assert [child.name for child in folder_and_everything_outside.iterdir()] == ["a.zip"]


def test_not_a_zip_and_a_truncated_one(tmp_path):
    path = tmp_path / "a.zip"
    path.write_text("this is not a zip")
    with pytest.raises(ValueError, match="not a complete zip archive"):
        read_tu_files(path)
    whole = make_zip(path).read_bytes()
    for length in (0, len(whole) // 2, len(whole) - 5):
        path.write_bytes(whole[:length])
        with pytest.raises(ValueError, match="not a complete zip archive"):
            read_tu_files(path)


def test_an_encrypted_zip(tmp_path):
    path = make_zip(tmp_path / "a.zip")
    data = bytearray(path.read_bytes())
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):  # where the flags stand in both headers
        position = data.find(signature)
        while position != -1:
            data[position + offset] |= 1
            position = data.find(signature, position + 4)
    path.write_bytes(data)
    with pytest.raises(ValueError, match=r"is encrypted; unpack the archive yourself"):
        read_tu_files(path)


def patch_central(path: Path, member: str, offset: int, value: int) -> None:
    """Overwrite a four-byte number in the central directory entry of a member."""
    data = bytearray(path.read_bytes())
    position = data.find(b"PK\x01\x02")
    while data[position + 46 : position + 46 + len(member)] != member.encode():
        position = data.find(b"PK\x01\x02", position + 4)
    struct.pack_into("<I", data, position + offset, value)
    path.write_bytes(data)


SIZE, CHECKSUM = 24, 16


@pytest.mark.parametrize("forge_checksum", [False, True])
def test_a_member_larger_than_declared_raises(tmp_path, forge_checksum):
    import zlib

    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("TINY_graph_indicator.txt", FILES["graph_indicator"])
        file.writestr("TINY_A.txt", "1, 2\n2, 1\n" + "1, 1\n" * 10_000_000)
    patch_central(path, "TINY_A.txt", SIZE, 10)
    if forge_checksum:
        patch_central(path, "TINY_A.txt", CHECKSUM, zlib.crc32(b"1, 2\n2, 1\n"))
    with pytest.raises(ValueError, match=r"TINY_A.txt unpacks to more than the 10 bytes that it declares"):
        read_tu_files(path)


def test_a_damaged_member(tmp_path):
    path = make_zip(tmp_path / "a.zip")
    patch_central(path, "TINY/TINY_A.txt", CHECKSUM, 12345)
    with pytest.raises(ValueError, match="is damaged"):
        read_tu_files(path)
    patch_central(make_zip(path), "TINY/TINY_A.txt", SIZE, 1000)
    with pytest.raises(ValueError, match="is damaged"):
        read_tu_files(path)


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_any_damage_is_an_error_of_ours_or_harmless(tmp_path, method):
    """Change single bytes all over an archive: it is read as before, or refused with a ValueError."""
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", method) as file:
        for suffix, text in FILES.items():
            file.writestr(f"TINY_{suffix}.txt", text * 20)
    whole = path.read_bytes()
    original = read_tu_files(path)
    refused = 0
    for position in range(len(whole)):
        path.write_bytes(whole[:position] + bytes([whole[position] ^ 0x55]) + whole[position + 1 :])
        try:
            assert set(read_tu_files(path).files.items()) <= set(original.files.items())
        except ValueError:
            refused += 1
    assert refused > len(whole) // 4


def test_two_members_of_the_same_name(tmp_path):
    path = make_zip(tmp_path / "a.zip", extra={"TINY\\TINY_A.txt": "1, 1"})
    with pytest.raises(ValueError, match=r"there are two members named TINY/TINY_A\.txt"):
        read_tu_files(path)


def test_unreadable_and_misnamed_files_raise(tmp_path):
    folder = make_folder(tmp_path / "TINY")
    (folder / "TINY_node_labels.txt").symlink_to(tmp_path / "nowhere")
    with pytest.raises(OSError, match="TINY_node_labels"):
        read_tu_files(folder)
    (folder / "TINY_node_labels.txt").unlink()
    (folder / "TINY_Node_Labels.txt").write_text("1\n1\n1\n")
    with pytest.raises(ValueError, match=r"TINY_Node_Labels\.txt: .*rename it to TINY_node_labels\.txt"):
        read_tu_files(folder)


def test_an_archive_with_an_unusual_ratio_raises(tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "_SMALL", 1000)
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("TINY_A.txt", "1, 1\n" * 1_000_000)
    with pytest.raises(ValueError, match=r"times its size, which is unusual for a data set"):
        read_tu_files(tmp_path / "a.zip")


def test_an_archive_that_is_too_large_raises(tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "MAX_UNPACKED", 10)
    with pytest.raises(ValueError, match=r"would unpack to .* unpack it yourself"):
        read_tu_files(make_zip(tmp_path / "a.zip"))


def test_a_missing_file_raises(tmp_path):
    folder = make_folder(tmp_path / "TINY")
    (folder / "TINY_graph_indicator.txt").unlink()
    for error in (ValueError, FileNotFoundError):
        with pytest.raises(error, match=r"TINY_graph_indicator\.txt: the file is missing"):
            wg.load_dataset(folder)
