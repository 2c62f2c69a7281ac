#pragma once
// A sheet in the plane that is strained alike everywhere, under forces at its sides: what any mesh has to give.
//
// With the energy per area psi(F) [J/m^2] and the force per width P [N/m] at the sides (dead loads: they keep size and
// direction), the rest state is the F where psi(F) - P : F has a minimum, so that dpsi/dF = P.

#include <array>
#include <functional>
#include <vector>

#include "pliant/cloth.h"
#include "pliant/mesh.h"

namespace pliant::experiments {

/// Deformation gradient, or forces per width, in the xz plane: (xx, xz, zx, zz). Its columns (xx, zx) and (xz, zz) are
/// where unit steps along x and z go.
using PlaneMatrix = std::array<double, 4>;

using PlaneEnergy = std::function<double(const PlaneMatrix& F)>;

/// St. Venant-Kirchhoff with the weft at `angle` [rad] from x towards z (bender14 4.3).
PlaneEnergy stvk_energy(const ClothMaterial& material, double angle);

/// Strain-based dynamics in xpbd, weft along x, no area entry: modulus / 2 C^2 for each entry (mueller14 eq. 14, 15).
PlaneEnergy strain_energy(const ClothStrain& strain);

/// Newton's method from F = 1, with steps halved until the sum falls; derivatives by central differences. Throws Error
/// where it does not converge: loads that press have no stable state that does not turn.
PlaneMatrix uniform_state(const PlaneEnergy& energy, const PlaneMatrix& P);

/// Mean of F over a flat sheet's area, by its triangles.
PlaneMatrix mean_gradient(const TriMesh& rest, const std::vector<Vec3d>& positions);

struct Deviation {
  double largest = 0, mean = 0;  // [m]
};

/// Distances of vertices from F times their rest positions, both about their centres of mass.
Deviation distance_from_uniform(const TriMesh& rest, const std::vector<Vec3d>& positions, const PlaneMatrix& F);

}  // namespace pliant::experiments
