"""Tables of molecules: which columns are used, and what happens to rows that cannot be read."""

from __future__ import annotations

import gzip
import warnings
from pathlib import Path

import numpy as np
import pytest
from rdkit import Chem

import wassergraph as wg
from wassergraph.datasets.description import describe_dataset
from wassergraph.datasets.inputs import load_graphs
from wassergraph.datasets.reading import ReadingOptions

SMILES = ["CCO", "c1ccccc1", "CC(=O)O", "C1CCCCC1", "CC#N", "c1ccncc1", "CCN(CC)CC", "OC1CCCC1"]


def table(folder: Path, text: str, name: str = "molecules.csv") -> Path:
    path = folder / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return path


def sdf(folder: Path, molecules: list[tuple[str, dict[str, str]]], name: str = "molecules.sdf") -> Path:
    """Write an SDF file of SMILES with data fields; the records are named m0, m1, …"""
    blocks = []
    for number, (smiles, fields) in enumerate(molecules):
        molecule = Chem.MolFromSmiles(smiles)
        molecule.SetProp("_Name", f"m{number}")
        data = "".join(f">  <{field}>\n{value}\n\n" for field, value in fields.items())
        blocks.append(f"{Chem.MolToMolBlock(molecule)}{data}$$$$\n")
    return table(folder, "".join(blocks), name)


# Files


def test_a_table_of_smiles(tmp_path):
    path = table(tmp_path, "id,SMILES,Class\na,CCO,1\nb,c1ccccc1,-1\n")
    source = load_graphs(path)
    assert source.graphs == wg.from_smiles(["CCO", "c1ccccc1"])
    assert source.y.dtype == np.int64
    assert source.y.tolist() == [1, -1]
    assert source.names == ["a", "b"]
    assert (source.columns, source.rows[0]) == (["id", "SMILES", "Class"], ["a", "CCO", "1"])
    assert str(source) == "2 molecules, target Class: 2 classes (-1: 1, 1: 1) → classification"
    assert load_graphs(str(path)).names == ["a", "b"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.CSV", '\ufeff"smiles", y ,name\r\n"CCO","x, y",first\r\n C , z,"se""cond"\r\n\r\n'),
        ("a.csv.gz", 'smiles,y,name\nCCO,"x, y",first\nC,z,"se""cond"\n'),
        ("a.csv", 'smiles;y;name\nCCO;x, y;first\nC;z;"se""cond"\n'),
        ("a.csv", 'smiles;y;name;"IC50, nM, or more"\nCCO;x, y;first;1,5\nC;z;"se""cond";2\n'),
        ("a.csv", 'smiles\ty\tname\nCCO\tx, y\tfirst\nC\tz\t"se""cond"\n'),
        ("a.tsv", 'name\tsmiles\ty\nfirst\tCCO\tx, y\n"se""cond"\tC\tz'),
        ("a.TSV.GZ", 'name\tsmiles\ty\nfirst\tCCO\tx, y\n"se""cond"\tC\tz'),
        ("a.smi", 'name\tsmiles\ty\nfirst\tCCO\tx, y\n"se""cond"\tC\tz\n'),
        ("a.smi", 'smiles,name,y\rCCO,first,"x, y"\rC,"se""cond",z\r'),
    ],
)
def test_ways_to_write_a_table(tmp_path, name, text):
    path = tmp_path / name
    path.write_bytes(gzip.compress(text.encode()) if name.lower().endswith(".gz") else text.encode())
    source = load_graphs(path)
    assert source.graphs == wg.from_smiles(["CCO", "C"])
    assert source.y.tolist() == ["x, y", "z"]
    assert source.y.dtype.kind == "U"
    assert source.names == ["first", 'se"cond']


def test_smi_files_may_have_spaces_between_the_cells(tmp_path):
    source = load_graphs(table(tmp_path, "SMILES Name \nCCO  ethanol\nC methane \n", "a.smi"))
    assert source.graphs == wg.from_smiles(["CCO", "C"])
    assert source.names == ["ethanol", "methane"]
    assert source.y is None


@pytest.mark.parametrize("ending", ["smi", "smi.gz"])
def test_smi_files_need_no_header(tmp_path, ending):
    source = load_graphs(table(tmp_path, "CCO ethyl alcohol\nC\n", f"a.{ending}"))
    assert source.graphs == wg.from_smiles(["CCO", "C"])
    assert source.names == ["ethyl alcohol", ""]
    assert load_graphs(table(tmp_path, "CCO\nC\n", f"a.{ending}")).names == ["0", "1"]
    with pytest.raises(ValueError, match=rf"a\.{ending}, line 2: 'x\(' cannot be read"):
        load_graphs(table(tmp_path, "CCO\nx(\n", f"a.{ending}"))


def test_damaged_compressed_files(tmp_path):
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(b"smiles\nCCO\n" * 100)[:40])
    with pytest.raises(ValueError, match=r"a\.csv\.gz: the compressed file is damaged or cut off"):
        load_graphs(path)
    path.write_text("smiles\nCCO\n")
    with pytest.raises(ValueError, match=r"a\.csv\.gz: the compressed file is damaged"):
        load_graphs(path)


@pytest.mark.parametrize("ending", ["sdf", "sdf.gz"])
def test_an_sdf_file_is_a_table_of_its_data_fields(tmp_path, ending):
    path = sdf(tmp_path, [("CCO", {"Class": "1", "logP": "0.5"}), ("CCC", {"Class": "0"})], f"a.{ending}")
    source = load_graphs(path)
    assert source.graphs == wg.from_sdf(path)
    assert source.columns == ["name", "Class", "logP"]
    assert source.rows == [["m0", "1", "0.5"], ["m1", "0", ""]]
    assert (source.names, source.y.tolist()) == (["m0", "m1"], [1, 0])
    with pytest.raises(ValueError, match="smiles_column applies to a table of SMILES, but this is an SDF file"):
        load_graphs(path, ReadingOptions(smiles_column="Class"))
    clash = load_graphs(sdf(tmp_path, [("CCO", {"Name": "x"}), ("CCC", {"Name": "y"})]))
    assert (clash.columns, clash.names) == (["record_name", "Name"], ["x", "y"])


def test_the_names_of_records_have_a_column_of_their_own(tmp_path):
    path = sdf(tmp_path, [("CCO", {"Name": "ethanol", "record_name": "r0"}), ("CC", {"Name": "ethane"})])
    source = load_graphs(path)
    assert source.columns == ["record_record_name", "Name", "record_name"]
    assert (source.names, source.rows[0]) == (["ethanol", "ethane"], ["m0", "ethanol", "r0"])


def test_an_sdf_file_cut_in_half(tmp_path):
    path = sdf(tmp_path, [(smiles, {"Class": str(n % 2)}) for n, smiles in enumerate(SMILES)])
    lines = path.read_text().splitlines()
    path.write_text("\n".join(lines[: lines.index("m5") + 6]))
    with pytest.raises(ValueError, match=r"molecules\.sdf, line \d+: 'm5' cannot be read .*cut off.*invalid=\"skip\""):
        load_graphs(path)
    with pytest.warns(UserWarning, match=r"1 of 6 molecules cannot be read and is left out, in molecules\.sdf, line"):
        source = load_graphs(path, ReadingOptions(invalid="skip"))
    assert source.names == ["m0", "m1", "m2", "m3", "m4"]
    assert source.y.tolist() == [0, 1, 0, 1, 0]


# The column of SMILES


def with_column(name: str, cells: list[str], other: str = "note,x") -> str:
    return f"{name},{other}\n" + "\n".join(f"{cell},a{n},{n}" for n, cell in enumerate(cells)) + "\n"


@pytest.mark.parametrize(
    "name", ["Smiles", "canonical_smiles", "Isomeric SMILES", "structure", "Mol", "MOLECULE", "whatever", "input"]
)
def test_the_column_of_smiles_is_found_by_name_or_by_its_cells(tmp_path, name):
    source = load_graphs(table(tmp_path, with_column(name, SMILES)))
    assert source.facts.smiles_column == name
    assert source.graphs == wg.from_smiles(SMILES)


def test_the_cells_decide_among_usual_names(tmp_path):
    """A column named molecule may hold names, and one with smiles in its name numbers."""
    rows = "\n".join(f"mol {n},{n},{smiles}" for n, smiles in enumerate(SMILES))
    source = load_graphs(table(tmp_path, f"molecule,n_smiles,input_smiles\n{rows}\n"))
    assert source.facts.smiles_column == "input_smiles"
    source = load_graphs(table(tmp_path, f"molecule,n,drawing\n{rows}\n"))
    assert source.facts.smiles_column == "drawing"


def test_words_that_are_smiles_do_not_win_over_molecules(tmp_path):
    words = ["CN", "CI", "C", "NO", "O", "I", "CCN", "CO"]
    rows = "\n".join(f"{word},{smiles}" for word, smiles in zip(words, SMILES, strict=True))
    assert load_graphs(table(tmp_path, f"code,drawing\n{rows}\n")).facts.smiles_column == "drawing"
    assert load_graphs(table(tmp_path, "code\n" + "\n".join(words))).graphs == wg.from_smiles(words)
    with pytest.raises(ValueError, match=r"there is no column of SMILES; .*the columns are 'group', 'n'"):
        load_graphs(table(tmp_path, "group,n\n" + "\n".join(f"{'CI' if n % 2 else 'CN'},{n}" for n in range(20))))


def test_a_broken_row_does_not_hide_the_column(tmp_path):
    with pytest.warns(UserWarning, match=r"1 of 9 molecules cannot be read and is kept .*line 10"):
        source = load_graphs(table(tmp_path, with_column("drawing", [*SMILES, "x("])), ReadingOptions(invalid="nan"))
    assert source.facts.smiles_column == "drawing"


@pytest.mark.parametrize(
    "names", [("reactant", "product"), ("reactant_smiles", "product_smiles"), ("smiles", "Smiles")]
)
def test_two_columns_of_smiles(tmp_path, names):
    rows = "\n".join(f"{smiles},{smiles}" for smiles in SMILES)
    path = table(tmp_path, f"{','.join(names)}\n{rows}\n")
    message = rf"molecules\.csv: the columns '{names[0]}' and '{names[1]}' may all be the SMILES; .*smiles_column"
    with pytest.raises(ValueError, match=message):
        load_graphs(path)
    assert load_graphs(path, ReadingOptions(smiles_column=names[1])).graphs == wg.from_smiles(SMILES)


def test_a_first_line_without_names_is_not_lost(tmp_path):
    path = table(tmp_path, "CCO,1\n" + "\n".join(f"{smiles},0" for smiles in SMILES))
    with pytest.raises(ValueError, match="line 1: the first line must name the columns, but 'CCO' is a molecule"):
        load_graphs(path)


def test_columns_by_name(tmp_path):
    path = table(tmp_path, "smiles,Smiles,first,label,Target\nC,CC,1,0,1\nO,OO,-7,1,1\n")
    source = load_graphs(path, ReadingOptions(smiles_column="Smiles", target="first"))
    assert source.graphs == wg.from_smiles(["CC", "OO"])
    assert source.y.tolist() == [1, -7]
    assert source.names == ["C", "O"]  # text that is different in every row
    assert load_graphs(path, ReadingOptions(smiles_column="smiles")).y is None
    with pytest.raises(ValueError, match="the columns 'label' and 'Target' may all be the target; name it with target"):
        load_graphs(path, ReadingOptions(smiles_column="smiles", need_target=True))
    message = r"molecules\.csv: smiles_column=\"smile\": there is no such column, only .*; did you mean '[sS]miles'\?"
    with pytest.raises(ValueError, match=message):
        load_graphs(path, ReadingOptions(smiles_column="smile"))
    with pytest.raises(ValueError, match=r"target=\"labels\": there is no such column, .*did you mean 'label'\?"):
        load_graphs(path, ReadingOptions(smiles_column="smiles", target="labels"))
    bare = table(tmp_path, "smiles,logS,mass\nC,1.5,16\nO,2.5,18\n", "bare.csv")
    with pytest.raises(ValueError, match=r"no column of classes or numbers .*; name it with target: 'logS', 'mass'"):
        load_graphs(bare, ReadingOptions(need_target=True))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("ID,smiles,Name\n1,CCO,a\n2,C,b\n", ["a", "b"]),
        ("Compound ID,smiles\n7,CCO\n8,C\n", ["7", "8"]),
        (",smiles,y\n10,C,1\n20,O,0\n", ["10", "20"]),
        ("smiles,weight,iupac\nCCO,1.5,ethanol\nC,2.5,methane\n", ["ethanol", "methane"]),
        ("smiles,weight,vendor\nCCO,1.5,Sigma\nC,2.5,Sigma\n", ["0", "1"]),
        ("smiles,weight,note\nCCO,1.5,\nC,2.5,x\n", ["0", "1"]),
        ("smiles,class\nCCO,yes\nC,no\n", ["0", "1"]),
    ],
)
def test_names_of_molecules(tmp_path, text, names):
    assert load_graphs(table(tmp_path, text)).names == names


# Targets


def test_rows_without_a_target_value_are_left_out_with_a_count(tmp_path):
    path = table(tmp_path, "smiles,class\nC,1\nO,\nCC,0\nN,nan\nCN,NA\n")
    with pytest.warns(UserWarning, match=r"3 of 5 rows left out for lack .* 'class', in molecules\.csv, line 3, 5, 6"):
        source = load_graphs(path, ReadingOptions(need_target=True))
    assert source.graphs == wg.from_smiles(["C", "CC"])
    assert (source.names, source.y.tolist()) == (["0", "2"], [1, 0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        source = load_graphs(path)
    assert len(source.graphs) == 5
    assert source.y is None
    assert (source.target.values.tolist(), source.target.positions.tolist()) == ([1, 0], [0, 2])
    with pytest.raises(ValueError, match="no cell of the column 'class' has a value; choose another"):
        load_graphs(table(tmp_path, "smiles,class\nC,\nO,\n"), ReadingOptions(need_target=True))


@pytest.mark.parametrize("empty", ["", "nan", "NaN"])
def test_a_target_without_any_value_is_unknown(tmp_path, empty):
    source = load_graphs(table(tmp_path, f"smiles,class\nC,{empty}\nO,{empty}\n"))
    assert (len(source.graphs), source.target) == (2, None)


def test_the_column_of_smiles_is_no_target(tmp_path):
    with pytest.raises(ValueError, match=r'target="smiles": this is the column of SMILES; name another column: \'y\''):
        load_graphs(table(tmp_path, "smiles,y\nC,1\nO,2\n"), ReadingOptions(target="smiles"))


def test_several_columns_in_one_word_are_an_error(tmp_path):
    path = table(tmp_path, 'smiles,A,B,"A, C"\nC,1.5,2.5,3.5\nO,2.5,3.5,4.5\n')
    message = r"molecules\.csv: target=\"A,B\" names 2 columns in one word; name them one after the other: 'A' 'B'"
    with pytest.raises(ValueError, match=message):
        load_graphs(path, ReadingOptions(target="A,B"))
    with pytest.raises(ValueError, match='target="B, A, B" names 3 columns'):
        load_graphs(path, ReadingOptions(target="B, A, B"))
    assert load_graphs(path, ReadingOptions(target="A, C")).y.tolist() == [3.5, 4.5]
    with pytest.raises(ValueError, match=r'target="A,D": there is no such column'):
        load_graphs(path, ReadingOptions(target="A,D"))


# Rows that cannot be read


BROKEN = "smiles,name,y\nC,a,1\nx(,b,0\n ,c,0\n[Na+].[Cl-],salt,1\nC(C)(C)(C)(C)C,e,\n"


def test_unreadable_rows_are_an_error_that_names_lines(tmp_path):
    message = r"molecules\.csv, line 3: 'x\(' cannot be read .*also .*line 4: '', .*line 6: .*pass invalid=\"skip\""
    with pytest.raises(ValueError, match=message):
        load_graphs(table(tmp_path, BROKEN))


def test_unreadable_rows_may_be_left_out_or_kept(tmp_path):
    path = table(tmp_path, BROKEN)
    message = r"3 of 5 molecules cannot be read and are left out, in molecules\.csv, line 3 \('x\(': .*, 4 \('': it"
    with pytest.warns(UserWarning, match=message):
        source = load_graphs(path, ReadingOptions(invalid="skip"))
    assert source.graphs == wg.from_smiles(["C", "[Na+].[Cl-]"])
    assert (source.names, source.y.tolist()) == (["a", "salt"], [1, 1])
    assert [row[1] for row in source.rows] == ["a", "salt"]
    with pytest.warns(UserWarning, match="3 of 5 molecules cannot be read and are kept without a prediction"):
        source = load_graphs(path, ReadingOptions(invalid="nan"))
    assert (len(source.rows), source.positions.tolist(), source.names) == (5, [0, 3], ["a", "salt"])
    with pytest.raises(ValueError, match="invalid must be one of 'error', 'skip', 'nan', got 'drop'"):
        load_graphs(path, ReadingOptions(invalid="drop"))
    with pytest.raises(ValueError, match=r"empty_graphs applies to graphs without nodes, .*pass invalid=\"skip\""):
        load_graphs(path, ReadingOptions(empty_graphs="drop"))


@pytest.mark.parametrize("invalid", ["skip", "nan"])
def test_a_table_of_nothing_readable(tmp_path, invalid):
    path = table(tmp_path, "smiles,name\nethanol,a\nmethane,b\n")
    with pytest.raises(ValueError, match=r"none of the 2 molecules can be read, the first: 'ethanol' .*'smiles' is"):
        load_graphs(path, ReadingOptions(invalid=invalid))


def test_one_molecule_and_large_ones_and_mixtures(tmp_path):
    assert len(load_graphs(table(tmp_path, "smiles\nCCO\n")).graphs) == 1
    chain, mixture = "C" * 500, "CC(=O)O.[Na+].O"
    source = load_graphs(table(tmp_path, f"smiles\n{chain}\n{mixture}\n"))
    assert source.graphs.sizes.tolist() == [500, 6]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "molecules.csv: the file is empty; it needs a header"),
        ("\n\n", "molecules.csv: the file is empty; it needs a header"),
        ("smiles,y\n", "molecules.csv: the file has a header but no rows; it needs"),
        ("smiles,y,y\nC,1,2\n", "line 1: there are two columns named 'y'; name each"),
        ("smiles,,y\nC,0,1\n", "line 1: column 2 has no name; name each column once"),
        ("name,y\nethanol,1\n", "there is no column of SMILES; name it with smiles_column; .*'name', 'y'"),
        ("smiles,y\nC,1\nO\n", "line 3: the row has 1 cell, but the header has 2"),
        ("smiles,y\nC,1\nO,1,2\n", "line 3: the row has 3 cells, but the header has 2"),
        ("smiles,y\nC,1\n\nO,1\n", "line 3: the line is empty; remove it"),
        ("smiles,y\nC,1\n  \nO,1\n", "line 3: the line is empty; remove it"),
        ("\nsmiles,y\nC,1\n", "line 1: the line is empty; remove it"),
        (" \nsmiles,y\nC,1\n", "line 1: the line is empty; remove it"),
        (",\nC,1\n", "line 1: the line is empty; remove it"),
        ('smiles,y\nC,"a\nb"\nx(,1\nO,1\n', "molecules.csv, line 4: 'x.' cannot be read as a molecule .*; correct"),
        ('smiles,y\nC,"a"b\nO,1\n', "molecules.csv, line 2: .*expected after.*check the quotes"),
        ('smiles,y\nC,1\nO,"1\n', "molecules.csv, line 3: .*check the quotes"),
    ],
)
def test_bad_tables(tmp_path, text, message):
    with pytest.raises(ValueError, match=message):
        load_graphs(table(tmp_path, text))


def test_a_table_that_is_not_utf_8(tmp_path):
    path = tmp_path / "molecules.csv"
    path.write_bytes("smiles,name\nC,a\nO,größer\n".encode("latin-1"))
    with pytest.raises(ValueError, match=r"molecules\.csv, line 3: the text is not UTF-8 .*; save the file as UTF-8"):
        load_graphs(path)


def test_a_misspelt_file_is_answered_with_the_nearest(tmp_path):
    table(tmp_path, "smiles\nC\n")
    with pytest.raises(FileNotFoundError, match=r"molecule\.csv: it does not exist; did you mean 'molecules\.csv'\?"):
        load_graphs(tmp_path / "molecule.csv")


# Descriptions


def test_the_description_of_a_table(tmp_path):
    path = table(tmp_path, "smiles,ID,y,z\nCCO,a,1,\nC,b,0,\nCC,c,,\nx(,d,1,\n")
    with pytest.warns(UserWarning, match="1 of 4 molecules cannot be read"):
        description = describe_dataset(path)
    lines = dict(
        line.split(maxsplit=1) for line in str(description).splitlines() if not line.startswith(("SM", "name"))
    )
    assert lines["columns"] == "smiles, ID, y, z"
    assert (lines["rows"], lines["unreadable"], lines["molecules"]) == ("4", "1", "3")
    assert lines["target"] == "y, 1 without a value"
    assert lines["task"] == "classification: 2 classes (0: 1, 1: 1)"
    assert lines["atoms"] == "6, 2.00 on average (1 to 3) per molecule"
    facts = description.to_dict()
    assert (facts["smiles_column"], facts["name_column"], facts["n_unreadable"]) == ("smiles", "ID", 1)
    assert (facts["target"], facts["task"], facts["classes"]) == ("y", "classification", {"0": 1, "1": 1})
    assert facts["n_without_target"] == 1
    assert "target           – (name a column with --target)" in str(
        describe_dataset(table(tmp_path, "smiles,z\nC,1\n"))
    )


# Real tables


def test_real_tables_are_read_as_they_are(molecules_home):
    source = load_graphs(molecules_home / "BACE.csv", ReadingOptions(need_target=True))
    assert str(source) == "1,513 molecules, target Class: 2 classes (0: 822, 1: 691) → classification"
    assert source.names[0] == "BACE_1"
    source = load_graphs(molecules_home / "FreeSolv.csv", ReadingOptions(target="expt"))
    assert str(source) == "642 molecules, target expt: numbers from −25.47 to 3.43 → regression"
    assert source.facts.name_column == "iupac"
    name = "measured log solubility in mols per litre"
    assert load_graphs(molecules_home / "ESOL.csv", ReadingOptions(target=name)).target.task == "regression"
