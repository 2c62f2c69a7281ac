#pragma once
// Clusters: constraints of one type that share corners and are solved one after another in one gather. Nobody asks for
// them; the engine makes them of a body's constraints where it finds the pattern (solver/clusters.h), because gathering
// and scattering corners costs more than solving. Three distances of a triangle read 3 corners instead of 6, three tets
// in a row 6 instead of 12, three triangles in a row 5 instead of 9.

#include "constraints/bend.h"
#include "constraints/distance.h"
#include "constraints/isometric_bend.h"
#include "constraints/tet_energy.h"
#include "constraints/tri_energy.h"

namespace pliant {

/// Pattern::kParts constraints of type Part_ on the corners of Pattern::kCorners. A cluster names the type of its parts
/// (kPartName): reports speak of that one. Parts are taken in the corner order of the pattern, for which their type has
/// permuted(rest, order): the rest data of the same constraint with corner order[k] in place k.
template <template <class> class Part_, class T, class Pattern>
struct Cluster {
  using Number = T;
  using Part = Part_<T>;
  static constexpr int kPartEntries = entries_of<Part>();
  static constexpr int kPoints = Pattern::kPoints;
  static constexpr int kEntries = Pattern::kParts * kPartEntries;
  static constexpr auto& kCorners = Pattern::kCorners;  // [part][corner of the part]
  static constexpr Solve kSolve = Solve::sequence;
  static constexpr Stencil kStencil = Stencil::clusters;
  static constexpr const char* kSummary = "constraints of one type that share corners";
  static constexpr const char* kComplianceUnit = Part::kComplianceUnit;

  struct Rest {
    typename Part::Rest part[Pattern::kParts];
    template <class F>
    constexpr void each(F&& f) {
      for (auto& p : part) p.each(f);
    }
  };

  static Rest rest(const Vec3<T> (&x)[kPoints]) {
    Rest out;
    for (int p = 0; p < Pattern::kParts; ++p) {
      Vec3<T> own[Part::kPoints];
      corners_of(p, x, own);
      out.part[p] = Part::rest(own);
    }
    return out;
  }

  /// For tests and measures: the projection has a shorter way (ProjectParts).
  template <int I>
  static T evaluate_entry(const Rest& rest, const Vec3<T> (&x)[kPoints], Vec3<T> (&gradient)[kPoints]) {
    constexpr int kPart = I / kPartEntries, kEntry = I % kPartEntries;
    Vec3<T> own[Part::kPoints], g[kPartEntries][Part::kPoints];
    T C[kPartEntries];
    corners_of(kPart, x, own);
    evaluate_all<Part>(rest.part[kPart], own, C, g);
    for (Vec3<T>& of_corner : gradient) of_corner = {T(0), T(0), T(0)};
    for (int k = 0; k < Part::kPoints; ++k) gradient[kCorners[kPart][k]] = g[kEntry][k];
    return C[kEntry];
  }

 private:
  static void corners_of(int part, const Vec3<T> (&x)[kPoints], Vec3<T> (&out)[Part::kPoints]) {
    for (int k = 0; k < Part::kPoints; ++k) out[k] = x[kCorners[part][k]];
  }
};

/// The sides of a triangle.
struct SidesOfTriangle {
  static constexpr int kPoints = 3, kParts = 3;
  static constexpr int kCorners[kParts][2] = {{0, 1}, {1, 2}, {2, 0}};
};

/// The hinges of a triangle 0, 1, 2 whose neighbours end in 3 (across 0-1), 4 (across 1-2) and 5 (across 2-0).
struct HingesOfTriangle {
  static constexpr int kPoints = 6, kParts = 3;
  static constexpr int kCorners[kParts][4] = {{0, 1, 2, 3}, {1, 2, 0, 4}, {2, 0, 1, 5}};
};

/// Three triangles in a row, each sharing an edge with the next.
struct TrianglesInARow {
  static constexpr int kPoints = 5, kParts = 3;
  static constexpr int kCorners[kParts][3] = {{0, 1, 2}, {1, 2, 3}, {2, 3, 4}};
};

/// Three tets in a row, each sharing a face with the next. However they meet, their corners can be numbered like this.
struct TetsInARow {
  static constexpr int kPoints = 6, kParts = 3;
  static constexpr int kCorners[kParts][4] = {{0, 1, 2, 3}, {1, 2, 3, 4}, {2, 3, 4, 5}};
};

template <class T>
struct ThreeDistances : Cluster<Distance, T, SidesOfTriangle> {
  static constexpr const char* kPartName = "distance";
};
template <class T>
struct ThreeBends : Cluster<Bend, T, HingesOfTriangle> {
  static constexpr const char* kPartName = "bend";
  static constexpr double kPeriod = Bend<T>::kPeriod;
};
template <class T>
struct ThreeIsometricBends : Cluster<IsometricBend, T, HingesOfTriangle> {
  static constexpr const char* kPartName = "isometric_bend";
  static constexpr bool kVectors = true;
};
template <class T>
struct ThreeTriEnergiesStVK : Cluster<TriEnergyStVK, T, TrianglesInARow> {
  static constexpr const char* kPartName = "tri_energy_stvk";
  static constexpr bool kOnlyCompliant = false;
  static constexpr bool kFlatAtRest = true;
};
template <class T>
struct ThreeTetEnergiesStVK : Cluster<TetEnergyStVK, T, TetsInARow> {
  static constexpr const char* kPartName = "tet_energy_stvk";
  static constexpr bool kOnlyCompliant = false;
  static constexpr bool kFlatAtRest = true;
};
template <class T>
struct ThreeTetEnergiesNeoHookean : Cluster<TetEnergyNeoHookean, T, TetsInARow> {
  static constexpr const char* kPartName = "tet_energy_neo_hookean";
  static constexpr bool kOnlyCompliant = false;
  static constexpr bool kFlatAtRest = true;
};

}  // namespace pliant
