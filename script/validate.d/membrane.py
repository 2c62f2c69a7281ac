"""Solves the stretched membranes with GetFEM and keeps its answers.

    membrane.py CASES OUTPUT

CASES is what pliant_reference_export wrote. GetFEM takes the strain energy as a formula and derives stress and tangent
itself. Linear triangles in the plane, GetFEM's own Newton iteration. Nothing of Pliant's own solver is used.
"""

import json
import os
import sys

import numpy as np
import getfem as gf

import getfem_solver

gf.util_trace_level(0)
gf.util_warning_level(0)

STRAIN = "(0.5*((Id(2)+Grad_u)'*(Id(2)+Grad_u)-Id(2)))"


def energy(elasticity, weft):
    """1/2 e . K e with e = (w.Ew, f.Ef, 2 w.Ef), w the weft and f the warp, which lies to the left of it."""
    w = "[{:.17g};{:.17g}]".format(weft[0], weft[1])
    f = "[{:.17g};{:.17g}]".format(-weft[1], weft[0])
    entries = ["({}.({}*{}))".format(w, STRAIN, w), "({}.({}*{}))".format(f, STRAIN, f),
               "(2*({}.({}*{})))".format(w, STRAIN, f)]
    terms = ["{:.17g}*{}*{}".format(0.5 * elasticity[i][j], entries[i], entries[j])
             for i in range(3) for j in range(3) if elasticity[i][j] != 0]
    return "+".join(terms)


def solve(case, load_steps=4):
    """Displacements [m] of all vertices along x and z, in the case's numbering."""
    # The plane of the mesh is xz; seen from above, from y, x and -z are right-handed.
    positions = np.array([[p[0], -p[2]] for p in case["positions"]])
    mesh = gf.Mesh("empty", 2)
    for triangle in case["triangles"]:
        mesh.add_convex(gf.GeoTrans("GT_PK(2,1)"), positions[triangle].T)
    mf = gf.MeshFem(mesh, 2)
    mf.set_fem(gf.Fem("FEM_PK(2,1)"))
    mim = gf.MeshIm(mesh, gf.Integ("IM_TRIANGLE(2)"))
    place = {tuple(np.round(p, 9) + 0.0): i for i, p in enumerate(positions)}
    nodes = mf.basic_dof_nodes()
    unknown = np.full((len(positions), 2), -1)
    for dof in range(mf.nbdof()):
        unknown[place[tuple(np.round(nodes[:, dof], 9) + 0.0)], dof % 2] = dof
    if (unknown < 0).any():
        raise RuntimeError("a vertex has no unknown")

    model = gf.Model("real")
    model.add_fem_variable("u", mf)
    weft = np.array([case["weft"][0], -case["weft"][2]])
    weft /= np.linalg.norm(weft)
    model.add_nonlinear_term(mim, energy(case["elasticity"], weft))
    held, moved = [], []
    for vertex, axis, value in case["prescribed"]:
        held.append(unknown[int(vertex), 0 if axis == 0 else 1])
        moved.append(value if axis == 0 else -value)
    moved = np.array(moved)
    select = gf.Spmat("empty", len(held), mf.nbdof())
    for row, dof in enumerate(held):
        select[row, int(dof)] = 1.0
    model.add_variable("reaction", len(held))
    brick = model.add_constraint_with_multipliers("u", "reaction", select, np.zeros(len(held)))
    for step in range(1, load_steps + 1):
        model.set_private_rhs(brick, step / load_steps * moved)
        model.solve("max_iter", 60, "max_res", 1e-11, "lsolver", "mumps", "lsearch", "simplest", "alpha min", 1.0)
    model.assembly("build_all")
    residual = np.abs(model.rhs()).max() / np.abs(model.variable("reaction")).max()
    if not residual <= 1e-10:
        raise RuntimeError("GetFEM left a relative residual of {:.2e}".format(residual))
    u = model.variable("u")[unknown]
    return np.column_stack([u[:, 0], -u[:, 1]])


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1]) as lines:
        cases = [json.loads(text) for text in lines]
    rows = []
    for case in cases:
        u = solve(case)
        other = solve(case, 8)
        if np.abs(u - other).max() > 1e-10:
            sys.exit("script/validate: {}: GetFEM's answer depends on the load steps".format(case["name"]))
        text = ",".join("[{:.11g},{:.11g}]".format(*(v + 0.0 if abs(v) > 1e-13 else 0.0 for v in row)) for row in u)
        rows.append('"{}": [{}]'.format(case["name"], text))
    about = ("Displacements [m] along x and z of all vertices of a stretched square of cloth, by GetFEM {}, for the cases "
             "of tests/reference/membranes.h. Written by script/validate.".format(getfem_solver.version()))
    with open(sys.argv[2] + ".part", "w") as out:
        out.write('{{"about": {},\n"cases": {{\n{}\n}}}}\n'.format(json.dumps(about), ",\n".join(rows)))
    os.replace(sys.argv[2] + ".part", sys.argv[2])
    print("{} membranes".format(len(cases)))


if __name__ == "__main__":
    main()
