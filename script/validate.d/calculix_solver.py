"""Solves one validation case with CalculiX (ccx).

Linear tetrahedra (C3D4). *ELASTIC is Hooke's law; with NLGEOM it becomes St. Venant-Kirchhoff. The
program's own Neo-Hookean model is another one than ours (it splits off the volume), so there is none.
"""

import os
import re
import subprocess
import tempfile

import numpy as np

MODELS = ("linear", "stvk")

# ccx takes residual forces below 1e-6 for zero, whatever the size of the others. Displacements do not
# depend on the unit of force, so we choose one that is this many times smaller than the newton.
FORCE_UNITS_PER_NEWTON = 1e9


class NotConverged(RuntimeError):
    pass


def version():
    text = subprocess.run(["ccx", "-v"], capture_output=True, text=True).stdout
    found = re.search(r"Version\s+(\S+)", text)
    return found.group(1) if found else "unknown"


def number(value):
    """ccx reads at most twenty characters per number."""
    text = "{:.13e}".format(value)
    assert len(text) <= 20, text
    return text


def deck(case):
    lines = ["*NODE, NSET=NALL"]
    for i, p in enumerate(case["positions"]):
        lines.append("{}, {}, {}, {}".format(i + 1, *map(number, p)))
    lines.append("*ELEMENT, TYPE=C3D4, ELSET=EALL")
    for i, tet in enumerate(case["tets"]):
        lines.append("{}, {}, {}, {}, {}".format(i + 1, *(v + 1 for v in tet)))
    lines += [
        "*MATERIAL, NAME=SOLID",
        "*ELASTIC",
        "{}, {}".format(number(FORCE_UNITS_PER_NEWTON * case["young"]), number(case["poisson"])),
        "*DENSITY",
        number(FORCE_UNITS_PER_NEWTON * case["density"]),
        "*SOLID SECTION, ELSET=EALL, MATERIAL=SOLID",
    ]
    if case["model"] == "linear":
        lines += ["*STEP", "*STATIC"]
    else:
        step = number(1.0 / case["load_steps"])
        lines += [
            "*STEP, NLGEOM, INC=10000",
            "*STATIC",
            "{}, 1., 1.e-6, {}".format(step, step),
            # By default ccx stops at a residual of 0.5 % and a correction of 1 %.
            "*CONTROLS, PARAMETERS=FIELD",
            "1.e-9, 1.e-9, , , 1.e-9, 1.e-9, , 1.e-12",
            # More iterations than usual, as the tolerance is tighter than usual.
            "*CONTROLS, PARAMETERS=TIME INCREMENTATION",
            "20, 40, 30, 60, 30, , , , , ",
        ]
    magnitude = float(np.linalg.norm(case["gravity"]))
    if magnitude > 0:
        direction = np.array(case["gravity"]) / magnitude
        lines += ["*DLOAD", "EALL, GRAV, {}, {}, {}, {}".format(number(magnitude), *map(number, direction))]
    if case["forces"]:
        lines.append("*CLOAD")
        for vertex, *force in case["forces"]:
            for axis, value in enumerate(force):
                if value != 0:
                    lines.append("{}, {}, {}".format(int(vertex) + 1, axis + 1, number(FORCE_UNITS_PER_NEWTON * value)))
    lines.append("*BOUNDARY")
    for vertex, axis, value in case["prescribed"]:
        lines.append("{}, {}, {}, {}".format(int(vertex) + 1, int(axis) + 1, int(axis) + 1, number(value)))
    lines += ["*NODE PRINT, NSET=NALL", "U", "*END STEP"]
    return "\n".join(lines) + "\n"


def last_block(text):
    """The displacements of the last increment, whose time is 1. A diverged run has earlier ones only."""
    blocks = re.split(r"displacements \(vx,vy,vz\) for set NALL and time\s+(\S+)", text)
    if len(blocks) < 3 or abs(float(blocks[-2]) - 1) > 1e-9:
        raise NotConverged("CalculiX did not reach the full load")
    rows = [line.split() for line in blocks[-1].splitlines() if line.strip()]
    return {int(row[0]) - 1: [float(v) for v in row[1:4]] for row in rows}


def solve(case):
    """Displacements of all vertices [m] in the case's numbering: seven digits each, as ccx prints them."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "case.inp"), "w") as out:
            out.write(deck(case))
        run = subprocess.run(["ccx", "-i", "case"], cwd=folder, capture_output=True, text=True,
                             env=dict(os.environ, OMP_NUM_THREADS="1"))
        if run.returncode != 0:
            raise NotConverged("CalculiX ended with code {}: {}".format(run.returncode, run.stdout[-300:]))
        with open(os.path.join(folder, "case.dat")) as data:
            block = last_block(data.read())
    return np.array([block[i] for i in range(len(case["positions"]))])
