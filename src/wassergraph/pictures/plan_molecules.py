"""Draw a plan between two molecules, with RDKit: atoms are highlighted by their cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from wassergraph.arrays import BoolArray, FloatArray
from wassergraph.explain.plan import TransportPlan
from wassergraph.pictures.alignment import best_rotation, images
from wassergraph.pictures.molecules import BOND_LENGTH, add_disks, depict, draw_strokes, place_atoms
from wassergraph.pictures.plan_graphs import largest_cost, middle_of
from wassergraph.pictures.plan_page import (
    INK,
    LINE,
    MARGIN,
    NEAR,
    WIDTH,
    Page,
    add_legend,
    add_titles,
    alone,
    dearest_moves,
    draw_moves,
    moves_handle,
    new_page,
)
from wassergraph.pictures.style import BLUE, label_bar

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from rdkit import Chem

#: The length of a bond in the plane, and in pixels: what RDKit calls the length of bonds is that of 1 in the plane.
_BOND = 1.5
BOND_PIXELS = _BOND * BOND_LENGTH
#: The space around the atoms, as a part of the length of a bond: letters need it.
_EDGE = 0.8
#: The greatest length of a bond, the greatest height of a molecule, and the space between both, in inches.
_INCHES, _HEIGHT, _GAP = 0.46, 5.0, 0.6
#: The height of the color bar with its numbers and its name, in inches.
_BAR = 0.55
#: The radius of the circle around an atom, as a part of the length of a bond.
RADIUS = 0.42
#: The outline of an atom without a partner whose circle is not hatched.
DASHES = (0, (2.5, 1.5))
#: The rotation of the second molecule is a multiple of this angle, so that its bonds have the usual directions.
_ANGLE = np.pi / 6


class Depiction(NamedTuple):
    """A drawing of RDKit, and the pixels of its atoms (n, 2)."""

    svg: str
    atoms: FloatArray

    @property
    def size(self) -> FloatArray:
        """The width and height in pixels (2), with some space around the atoms."""
        return np.asarray(np.ptp(self.atoms, axis=0) + 2 * _EDGE * BOND_PIXELS)

    @property
    def middle(self) -> FloatArray:
        """The pixel in the middle (2)."""
        return middle_of(self.atoms)


def draw_molecule_plan(plan: TransportPlan, title: str | None) -> Page:
    """Draw both molecules, lines for the dearest moves, a title, a color bar and a legend."""
    from matplotlib.patches import Patch

    one, two = depictions(plan)
    tallest = float(max(one.size[1], two.size[1]))
    widest = (WIDTH - _GAP - 2 * MARGIN) / float(one.size[0] + two.size[0])
    inches = min(_INCHES / BOND_PIXELS, widest, _HEIGHT / tallest)  # of a pixel
    height = inches * tallest
    lonely = alone(plan)
    moves = dearest_moves(plan)
    entries = moves_handle(plan, moves, BLUE)
    if any(who.any() for who in lonely):
        hatched = Patch(facecolor="white", edgecolor=INK, hatch="////", linewidth=0.8)
        text = f"without a partner, at {plan.price:.3g} each, which all atoms of the other molecule share"
        entries[hatched] = text
    page = new_page(height, len(entries), bar=_BAR)
    middles = _middles(inches * float(one.size[0]), inches * float(two.size[0]), height)
    colors, highest = _scale(), largest_cost(plan)
    places = []
    costs_of_both = plan.source_costs, plan.target_costs
    for depiction, middle, costs, who in zip((one, two), middles, costs_of_both, lonely, strict=True):
        shares = costs / highest if highest > 0 else np.zeros_like(costs)
        places.append(draw_atoms(page.axes, depiction, middle, inches, colors(shares), who))
    draw_moves(page, moves, places[0], places[1], color=BLUE, radius=RADIUS * BOND_PIXELS * inches)
    add_titles(page, plan, [float(middle[0]) for middle in middles], title)
    _add_bar(page, colors, highest, len(entries))
    add_legend(page, entries)
    return page


def depictions(plan: TransportPlan) -> tuple[Depiction, Depiction]:
    """Return drawings of both molecules; the second is turned to match the first."""
    first, second = place_atoms(plan.source), place_atoms(plan.target)
    places, points = (molecule.GetConformer().GetPositions()[:, :2] for molecule in (first, second))
    onto, received = images(plan.matrix, places)
    turned = points @ _usual_angle(best_rotation(points, onto, received))
    conformer = second.GetConformer()
    for atom, (x, y) in enumerate(turned.tolist()):
        conformer.SetAtomPosition(atom, (x, y, 0.0))
    return _depict(first), _depict(second)


def _usual_angle(rotation: FloatArray) -> FloatArray:
    """Return the nearest rotation, with the same reflection, by a multiple of 30 degrees."""
    angle = _ANGLE * np.round(np.arctan2(rotation[0, 1], rotation[0, 0]) / _ANGLE)
    row = np.array([np.cos(angle), np.sin(angle)])
    return np.array([row, np.linalg.det(rotation) * np.array([-row[1], row[0]])])


def _depict(molecule: Chem.Mol) -> Depiction:
    """Draw a molecule with room for bonds of the same length in every drawing."""
    places = molecule.GetConformer().GetPositions()[:, :2]
    width, height = np.ceil(1.25 * np.ptp(places, axis=0) * BOND_LENGTH + 4 * BOND_PIXELS).astype(int).tolist()
    return Depiction(*depict(molecule, width, height, black=True))


def _middles(one: float, two: float, height: float) -> list[FloatArray]:
    """Return the middles of molecules of two widths, which are together in the middle of the page."""
    apart = max((one + two) / 2 + _GAP, NEAR)
    left = (WIDTH - one / 2 - apart - two / 2) / 2 + one / 2
    return [np.array([x, height / 2]) for x in (left, left + apart)]


def draw_atoms(
    axes: Axes,
    depiction: Depiction,
    middle: FloatArray,
    inches: float,
    colors: FloatArray,
    lonely: BoolArray,
    rings: FloatArray | None = None,
    *,
    hatch: bool = True,
) -> FloatArray:
    """Draw a molecule on circles around its atoms; return the places of the atoms in inches.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Axes in inches.
    depiction : Depiction
        The molecule.
    middle : (2) floats
        Where its middle is.
    inches : float
        The width of a pixel.
    colors : (n, 3) or (n, 4) floats
        The colors of the circles.
    lonely : (n) bools
        Which atoms have no partner: their circles have an outline.
    rings : (n) floats, optional
        The widths of rings around the circles, in points; there are none by default.
    hatch : bool
        Whether the circles of atoms without a partner are hatched; otherwise their outline is dashed.
    """
    from matplotlib.transforms import Affine2D

    to_inches = Affine2D().translate(*-depiction.middle).scale(inches, -inches).translate(*middle)
    places = np.asarray(to_inches.transform(depiction.atoms))
    width = 2 * RADIUS * BOND_PIXELS * inches
    ringed = np.zeros_like(lonely) if rings is None else ~lonely & (rings > 0)
    styles: list[tuple[BoolArray, dict[str, Any]]] = [
        (~lonely & ~ringed, {"edgecolors": "none"}),
        (ringed, {"edgecolors": INK}),
        (lonely, {"edgecolors": INK} | ({"hatch": "////"} if hatch else {"linestyle": DASHES})),
    ]
    for chosen, style in styles:
        widths: Any = 0.8 if rings is None else np.where(lonely, 0.8, rings)[chosen]
        style |= {"facecolors": colors[chosen], "linewidths": widths, "zorder": 0.3}
        add_disks(axes, places[chosen], width, "x", **style)
    draw_strokes(axes, depiction.svg, 72 * inches, transform=to_inches, zorder=1)
    return places


def _scale() -> Colormap:
    """Return the colors of costs: from none to a red on which black letters can be read."""
    import matplotlib as mpl

    part = mpl.colormaps["YlOrRd"](np.linspace(0.0, 0.7, 256))
    # Transparent rather than white, so that no circle hides that of another atom nearby.
    part[:, 3] = np.minimum(1, np.linspace(0, 4, 256))
    return mpl.colors.ListedColormap(part)


def _add_bar(page: Page, colors: Colormap, highest: float, lines: int) -> None:
    """Draw the scale of costs above the legend."""
    import matplotlib as mpl

    height = page.figure.get_figheight()
    axes = page.figure.add_axes((0.35, (LINE * lines + MARGIN + 0.65 * _BAR) / height, 0.3, 0.09 / height))
    norm = mpl.colors.Normalize(0, highest or 1.0)
    bar = page.figure.colorbar(mpl.cm.ScalarMappable(norm, colors), cax=axes, orientation="horizontal")
    assert bar.solids is not None
    bar.solids.set(rasterized=False, edgecolor="face")  # matplotlib draws many colors as pixels otherwise
    if not highest:
        bar.set_ticks([0])
    label_bar(bar, "cost of the atom", fontsize=8)
