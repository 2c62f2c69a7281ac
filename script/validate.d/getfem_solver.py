"""Solves one validation case with GetFEM.

GetFEM takes the strain energy as a formula and derives stress and tangent itself, so the only thing
that is ours here is the formula. Linear tetrahedra, GetFEM's own Newton iteration.
"""

import numpy as np
import getfem as gf

# GetFEM prints each Newton step at higher levels.
gf.util_trace_level(0)
gf.util_warning_level(0)

GRADIENT = "(Id(3)+Grad_u)"
ENERGY = {
    # Hooke's law for small strains.
    "linear": "mu*Norm_sqr(Sym(Grad_u))+lambda/2*sqr(Trace(Sym(Grad_u)))",
    # St. Venant-Kirchhoff: Hooke's law for the Green strain.
    "stvk": "mu*Norm_sqr(0.5*({F}'*{F}-Id(3)))+lambda/2*sqr(Trace(0.5*({F}'*{F}-Id(3))))".format(F=GRADIENT),
    # Neo-Hookean, logarithmic form (bender14 4.1): log(I3) = 2 log(det F).
    "neo_hookean": "mu/2*(Norm_sqr({F})-3)-mu*log(Det({F}))+lambda/2*sqr(log(Det({F})))".format(F=GRADIENT),
}


class NotConverged(RuntimeError):
    pass


def version():
    """The version of the Debian package: the Python module does not tell its own."""
    import subprocess

    text = subprocess.run(["dpkg-query", "-W", "-f=${Version}", "python3-getfem"], capture_output=True, text=True)
    return text.stdout.split("+")[0] or "unknown"


def solve(case):
    """Displacements of all vertices [m], in the case's numbering, and the relative residual."""
    positions = np.array(case["positions"])
    mesh = gf.Mesh("empty", 3)
    for tet in case["tets"]:
        mesh.add_convex(gf.GeoTrans("GT_PK(3,1)"), positions[tet].T)

    mf = gf.MeshFem(mesh, 3)
    mf.set_fem(gf.Fem("FEM_PK(3,1)"))
    mim = gf.MeshIm(mesh, gf.Integ("IM_TETRAHEDRON(2)"))

    # GetFEM numbers its unknowns by itself: find each by where it stands.
    place = {tuple(np.round(p, 9)): i for i, p in enumerate(positions)}
    nodes = mf.basic_dof_nodes()
    unknown = np.full((len(positions), 3), -1)
    for dof in range(mf.nbdof()):
        unknown[place[tuple(np.round(nodes[:, dof], 9) + 0.0)], dof % 3] = dof
    if (unknown < 0).any():
        raise RuntimeError("a vertex has no unknown: is it part of no tetrahedron?")

    young, poisson, density = case["young"], case["poisson"], case["density"]
    model = gf.Model("real")
    model.add_fem_variable("u", mf)
    model.add_initialized_data("lambda", [young * poisson / ((1 + poisson) * (1 - 2 * poisson))])
    model.add_initialized_data("mu", [young / (2 * (1 + poisson))])
    if case["model"] == "linear":
        model.add_linear_term(mim, ENERGY["linear"])
    else:
        model.add_nonlinear_term(mim, ENERGY[case["model"]])
    weight = density * np.array(case["gravity"])
    model.add_initialized_data("weight", np.zeros(3))
    model.add_source_term_brick(mim, "u", "weight")
    loads = np.zeros(mf.nbdof())
    for vertex, fx, fy, fz in case["forces"]:
        loads[unknown[int(vertex)]] += (fx, fy, fz)
    load_brick = model.add_explicit_rhs("u", np.zeros(mf.nbdof()))

    held = np.array([unknown[int(vertex), int(axis)] for vertex, axis, _ in case["prescribed"]])
    moved = np.array([value for _, _, value in case["prescribed"]])
    select = gf.Spmat("empty", len(held), mf.nbdof())
    for row, dof in enumerate(held):
        select[row, int(dof)] = 1.0
    model.add_variable("reaction", len(held))
    hold_brick = model.add_constraint_with_multipliers("u", "reaction", select, np.zeros(len(held)))

    # Sizes of force in this case [N]: its weight, its loads, the stiffness of its longest side.
    size = np.ptp(positions, axis=0)
    force = np.abs(weight).max() * size.prod() + np.abs(loads).sum() + young * np.abs(moved).max() * size.max()
    steps = 1 if case["model"] == "linear" else case["load_steps"]
    for step in range(1, steps + 1):
        fraction = step / steps
        model.set_variable("weight", fraction * weight)
        model.set_private_rhs(load_brick, fraction * loads)
        model.set_private_rhs(hold_brick, fraction * moved)
        # Full Newton steps: GetFEM's line searches weigh metres against newtons, stall and never end.
        model.solve("max_iter", 60, "max_res", 1e-11 * force, "lsolver", "mumps",
                    "lsearch", "simplest", "alpha min", 1.0)

    # What GetFEM assembles for the final state, against the forces at the held vertices. For a linear
    # problem its right-hand side is the load, otherwise it is the residual.
    model.assembly("build_all")
    residual = model.rhs()
    if case["model"] == "linear":
        residual = residual - model.tangent_matrix().mult(model.from_variables())
    residual = np.abs(residual).max()
    scale = max(np.abs(model.variable("reaction")).max(), np.abs(loads).max())
    if not residual <= 1e-9 * scale:
        raise NotConverged("GetFEM left a relative residual of {:.2e}".format(residual / scale))
    u = model.variable("u")
    return u[unknown], residual / scale
