"""Draw molecules with RDKit: as SVG, and on the axes of matplotlib."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal
from xml.etree import ElementTree

import numpy as np

from wassergraph.arrays import FloatArray
from wassergraph.formats.structures import read_structure
from wassergraph.formats.to_rdkit import has_atoms_and_bonds, has_bond_types, to_rdkit
from wassergraph.graphs.batch import GraphBatch
from wassergraph.pictures.kekule import kekulize_where_clear

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.path import Path as Outline
    from rdkit import Chem

#: The longest bond in pixels, so that a small molecule has letters as large as those of others.
BOND_LENGTH = 26.0
#: Metals that usually have four ligands in the corners of a square: Ni, Rh, Pd, Ir, Pt and Au.
_SQUARE = {28, 45, 46, 77, 78, 79}
#: The width and height of a molecule on a page in the pixels that RDKit draws in.
_PIXELS = 200
_SVG = "{http://www.w3.org/2000/svg}"
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")
_COMMAND = re.compile(r"([MLQCZ])([^MLQCZ]*)")


def can_draw_molecules(graphs: GraphBatch) -> bool:
    """Return whether graphs are molecules with bonds of RDKit, and RDKit, which draws them, is installed."""
    return has_atoms_and_bonds(graphs) and find_spec("rdkit") is not None and has_bond_types(graphs)


def molecule_svg(graph: GraphBatch, width: int, height: int) -> str:
    """Draw one molecule as SVG, as chemists write it: with charges, hydrogens on other atoms than carbon, and wedges.

    Of a graph without a structure, hydrogens and charges are shown only where they are nodes.

    Parameters
    ----------
    graph : GraphBatch
        One molecule.
    width, height : int
        The size in pixels.

    Returns
    -------
    str
        A document without a background.
    """
    return depict(place_atoms(graph), width, height)[0]


def place_atoms(graph: GraphBatch) -> Chem.Mol:
    """Convert one molecule to RDKit, with places of atoms in the plane, where a bond has the length 1.5.

    Double bonds and square planar centers have the geometry of the structure that the molecule was read from.
    """
    from rdkit import Chem
    from rdkit.Chem import rdDepictor

    structure = read_structure(graph)
    if structure is None:
        molecule = kekulize_where_clear(to_rdkit(graph))
        Chem.SetHybridization(molecule)  # without it, triple bonds and cumulated double bonds are not drawn straight
    else:
        molecule = _kekulize(structure)
        _flatten_centers(molecule)
    _compute_places(molecule)
    rdDepictor.StraightenDepiction(molecule)
    _separate_fragments(molecule)
    return molecule


def _compute_places(molecule: Chem.Mol) -> None:
    """Place atoms; those of bridged rings, such as morphine's, with CoordGen, which draws them as books do."""
    from rdkit import Chem
    from rdkit.Chem import rdCoordGen, rdDepictor, rdMolDescriptors

    square = any(atom.GetChiralTag() == Chem.ChiralType.CHI_SQUAREPLANAR for atom in molecule.GetAtoms())
    if square or not rdMolDescriptors.CalcNumBridgeheadAtoms(molecule):  # CoordGen does not know squares
        rdDepictor.Compute2DCoords(molecule, useRingTemplates=True)
        return
    rdCoordGen.AddCoords(molecule)
    rdDepictor.NormalizeDepiction(molecule, canonicalize=0)


def _kekulize(molecule: Chem.Mol) -> Chem.Mol:
    """Return a molecule with single and double bonds in place of aromatic ones, where RDKit finds such bonds."""
    from rdkit import Chem

    copy = Chem.Mol(molecule)
    try:
        Chem.Kekulize(copy, clearAromaticFlags=True)
    except Chem.KekulizeException:
        return molecule
    return copy


def _flatten_centers(molecule: Chem.Mol) -> None:
    """Place four ligands around a metal in their order, where it is not written which are opposite of each other.

    RDKit draws equal ligands opposite of each other. Who writes neighbors as neighbors usually means cis.
    """
    from rdkit import Chem

    for atom in molecule.GetAtoms():
        unknown = atom.GetChiralTag() == Chem.ChiralType.CHI_UNSPECIFIED
        if atom.GetAtomicNum() in _SQUARE and atom.GetTotalDegree() == 4 and unknown and not atom.IsInRing():
            atom.SetChiralTag(Chem.ChiralType.CHI_SQUAREPLANAR)
            atom.SetUnsignedProp("_chiralPermutation", 1)


def depict(molecule: Chem.Mol, width: int, height: int, *, black: bool = False) -> tuple[str, FloatArray]:
    """Draw a molecule with places of atoms as SVG, in colors or black; return also the pixels of its atoms (n, 2)."""
    from rdkit.Chem.Draw import rdMolDraw2D

    molecule = wedge_bonds(molecule)
    drawer = rdMolDraw2D.MolDraw2DSVG(width, height)
    options: Any = drawer.drawOptions()
    options.prepareMolsBeforeDrawing = False  # preparing would invent hydrogens
    options.clearBackground = False
    options.fixedBondLength = BOND_LENGTH
    options.bondLineWidth = 1.3
    options.padding = 0.06
    options.minFontSize = 9
    options.flagCloseContactsDist = -1  # no red boxes where the atoms of a large molecule are close on the page
    if black:
        options.useBWAtomPalette()
    drawer.DrawMolecule(molecule)
    drawer.FinishDrawing()
    pixels = [drawer.GetDrawCoords(atom) for atom in range(molecule.GetNumAtoms())]
    return str(drawer.GetDrawingText()), np.array([(pixel.x, pixel.y) for pixel in pixels])


def wedge_bonds(molecule: Chem.Mol) -> Chem.Mol:
    """Return a molecule whose bonds are wedges where stereocenters need them, for the places that its atoms have."""
    from rdkit import Chem

    copy = Chem.Mol(molecule)
    Chem.WedgeMolBonds(copy, copy.GetConformer())
    return copy


def _separate_fragments(molecule: Chem.Mol) -> None:
    """Move the other parts of a molecule, such as ions, away from the largest one: RDKit writes Na and Cl as NaCl."""
    from rdkit import Chem

    largest, *others = sorted(map(list, Chem.GetMolFrags(molecule)), key=len, reverse=True)
    conformer = molecule.GetConformer()
    places = conformer.GetPositions()
    middle = places[largest].mean(axis=0)
    for atoms in others:
        offset = places[atoms].mean(axis=0) - middle
        shift = offset * (0.25 + 0.6 / max(float(np.linalg.norm(offset)), 1e-9))
        for atom, place in zip(atoms, places[atoms] + shift, strict=True):
            conformer.SetAtomPosition(atom, place.tolist())


def draw_molecule(axes: Axes, graph: GraphBatch, *, inches: float) -> None:
    """Draw one molecule on axes of matplotlib, as lines and outlines that stay sharp at any size.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        The axes, which show nothing else.
    graph : GraphBatch
        One molecule.
    inches : float
        The width of the axes, which determines the width of lines.
    """
    draw_strokes(axes, molecule_svg(graph, _PIXELS, _PIXELS), 72 * inches / _PIXELS)
    axes.set(xlim=(0, _PIXELS), ylim=(_PIXELS, 0), aspect="equal")


def add_disks(axes: Axes, places: FloatArray, diameter: float, units: Literal["x", "xy"], **style: Any) -> None:
    """Draw disks of a diameter around places, both in the units of axes."""
    from matplotlib.collections import EllipseCollection

    sizes = np.full(len(places), diameter)
    offsets: Any = {"offsets": places, "offset_transform": axes.transData}
    axes.add_collection(EllipseCollection(sizes, sizes, 0 * sizes, units=units, **offsets, **style))


def draw_strokes(axes: Axes, svg: str, points_per_pixel: float, *, transform: Any = None, zorder: float = 1) -> None:
    """Draw the lines and outlines of a drawing of RDKit on axes, in pixels or moved by a transform."""
    from matplotlib.patches import PathPatch

    for stroke in read_strokes(svg):
        patch = PathPatch(stroke.outline, facecolor=stroke.fill or "none", edgecolor=stroke.color or "none")
        dashes = (0, [length / stroke.width for length in stroke.dashes]) if stroke.dashes else "-"
        patch.set(linewidth=stroke.width * points_per_pixel, linestyle=dashes, capstyle="butt", zorder=zorder)
        patch.set_snap(False)  # matplotlib would round the height of a minus to 0 pixels
        if transform is not None:
            patch.set_transform(transform + axes.transData)
        axes.add_patch(patch)


@dataclass(frozen=True)
class Stroke:
    """A line or an area of a drawing.

    Attributes
    ----------
    outline : matplotlib.path.Path
        Where it is, in pixels.
    color, fill : str or None
        The colors of the line and of the area.
    width : float
        The width of the line in pixels.
    dashes : tuple of float
        The lengths of dashes and gaps in pixels; empty if the line has no gaps.
    """

    outline: Outline
    color: str | None
    fill: str | None
    width: float
    dashes: tuple[float, ...]


def read_strokes(svg: str) -> list[Stroke]:
    """Read the paths of a drawing of RDKit, which has no other shapes."""
    root = ElementTree.fromstring(svg.encode("iso-8859-1"))
    return [_read_stroke(path) for path in root.iter(f"{_SVG}path")]


def _read_stroke(path: ElementTree.Element) -> Stroke:
    style = dict(part.split(":", 1) for part in path.get("style", "").split(";") if ":" in part)
    fill, color = style.get("fill", path.get("fill")), style.get("stroke")
    return Stroke(
        outline=_read_outline(path.get("d", "")),
        color=None if color == "none" else color,
        fill=None if fill == "none" else fill,
        width=float(style.get("stroke-width", "1").removesuffix("px")) if color else 0.0,
        dashes=tuple(map(float, _NUMBER.findall(style.get("stroke-dasharray", "")))),
    )


def _read_outline(text: str) -> Outline:
    """Read the commands of a path: move, line, quadratic and cubic curve, close."""
    from matplotlib.path import Path as Outline

    codes = {"M": Outline.MOVETO, "L": Outline.LINETO, "Q": Outline.CURVE3, "C": Outline.CURVE4}
    vertices: list[tuple[float, float]] = []
    kinds: list[Any] = []
    for command, arguments in _COMMAND.findall(text):
        numbers = [float(number) for number in _NUMBER.findall(arguments)]
        points = list(zip(numbers[::2], numbers[1::2], strict=True)) if command != "Z" else [vertices[0]]
        vertices += points
        kinds += [codes.get(command, Outline.CLOSEPOLY)] * len(points)
    return Outline(vertices, kinds)
