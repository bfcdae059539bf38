"""The symbols of the chemical elements by atomic number, and the names of bonds by RDKit's numbers."""

from __future__ import annotations

_PERIODS = """
*
H He
Li Be B C N O F Ne
Na Mg Al Si P S Cl Ar
K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr
Rb Sr Y Zr Nb Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe
Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au Hg Tl Pb Bi Po At Rn
Fr Ra Ac Th Pa U Np Pu Am Cm Bk Cf Es Fm Md No Lr Rf Db Sg Bh Hs Mt Ds Rg Cn Nh Fl Mc Lv Ts Og
"""
#: The symbol of each atomic number; 0 is a dummy atom, which stands for any.
SYMBOLS = tuple(_PERIODS.split())
#: The names of RDKit's bond types, by their numbers.
BOND_NAMES = {
    0: "unspecified bond",
    1: "single bond",
    2: "double bond",
    3: "triple bond",
    4: "quadruple bond",
    5: "quintuple bond",
    6: "hextuple bond",
    7: "bond of order 1.5",
    8: "bond of order 2.5",
    9: "bond of order 3.5",
    10: "bond of order 4.5",
    11: "bond of order 5.5",
    12: "aromatic bond",
    13: "ionic bond",
    14: "hydrogen bond",
    15: "three-center bond",
    16: "dative bond (one electron)",
    17: "dative bond",
    18: "dative bond (left)",
    19: "dative bond (right)",
    20: "other bond",
    21: "zero-order bond",
}
