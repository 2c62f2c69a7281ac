// The registered constraint types, in the order in which a sweep projects them. One line each:
// name in scenes, type, header.
//
// Registering a type gives it, with no further code, its place in scenes and the schema, batches
// and colours, snapshots, measures, the automatic tests of tests/constraints and a benchmark.
PLIANT_CONSTRAINT(distance, Distance, "distance.h")
PLIANT_CONSTRAINT(bend, Bend, "bend.h")
PLIANT_CONSTRAINT(isometric_bend, IsometricBend, "isometric_bend.h")
PLIANT_CONSTRAINT(isometric_bend_curved, IsometricBendCurved, "isometric_bend.h")
PLIANT_CONSTRAINT(triangle_bend, TriangleBend, "triangle_bend.h")
PLIANT_CONSTRAINT(tri_stvk, TriStVK, "tri_stvk.h")
PLIANT_CONSTRAINT(tri_stvk_slack, TriStVKSlack, "tri_stvk_slack.h")
PLIANT_CONSTRAINT(tri_energy_stvk, TriEnergyStVK, "tri_energy.h")
PLIANT_CONSTRAINT(tri_strain, TriStrain, "tri_strain.h")
PLIANT_CONSTRAINT(triangle_area, TriangleArea, "triangle_area.h")
PLIANT_CONSTRAINT(tet_volume, TetVolume, "tet_volume.h")
PLIANT_CONSTRAINT(tet_strain, TetStrain, "tet_strain_entries.h")
PLIANT_CONSTRAINT(tet_stvk, TetStVK, "tet_stvk.h")
PLIANT_CONSTRAINT(tet_stvk_plastic, TetStVKPlastic, "tet_stvk.h")
PLIANT_CONSTRAINT(tet_neo_hookean, TetNeoHookean, "tet_neo_hookean.h")
PLIANT_CONSTRAINT(tet_corotated, TetCorotated, "tet_corotated.h")
PLIANT_CONSTRAINT(tet_orthotropic, TetOrthotropic, "tet_orthotropic.h")
PLIANT_CONSTRAINT(tet_energy_stvk, TetEnergyStVK, "tet_energy.h")
PLIANT_CONSTRAINT(tet_energy_neo_hookean, TetEnergyNeoHookean, "tet_energy.h")
PLIANT_CONSTRAINT(tet_density_stvk, TetDensityStVK, "tet_energy.h")
PLIANT_CONSTRAINT(tet_density_neo_hookean, TetDensityNeoHookean, "tet_energy.h")
PLIANT_CONSTRAINT(attach_point, AttachPoint, "attachment.h")
PLIANT_CONSTRAINT(attach_triangle, AttachTriangle, "attachment.h")
PLIANT_CONSTRAINT(attach_tet, AttachTet, "attachment.h")
