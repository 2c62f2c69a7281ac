#pragma once
// Clusters: constraints of one type that share corners and are solved one after another in one gather. Nobody asks for
// them; the engine makes them of a body's constraints where it finds the pattern (solver/clusters.h), because gathering
// and scattering corners costs more than solving. Three distances of a triangle read 3 corners instead of 6.

#include "constraints/bend.h"
#include "constraints/distance.h"

namespace pliant {

/// Pattern::kCount constraints of type Part_ on the corners of Pattern::kCorners. A cluster names the type of its parts
/// (kPartName): reports speak of that one.
template <template <class> class Part_, class T, class Pattern>
struct Cluster {
  using Number = T;
  using Part = Part_<T>;
  static_assert(entries_of<Part>() == 1, "a part has one entry");
  static constexpr int kPoints = Pattern::kPoints;
  static constexpr int kEntries = Pattern::kCount;
  static constexpr auto& kCorners = Pattern::kCorners;  // [part][corner of the part]
  static constexpr Solve kSolve = Solve::sequence;
  static constexpr Stencil kStencil = Stencil::clusters;
  static constexpr const char* kSummary = "constraints of one type that share corners";
  static constexpr const char* kComplianceUnit = Part::kComplianceUnit;

  struct Rest {
    typename Part::Rest part[kEntries];
    template <class F>
    constexpr void each(F&& f) {
      for (auto& p : part) p.each(f);
    }
  };

  template <int I>
  static void corners_of(const Vec3<T> (&x)[kPoints], Vec3<T> (&out)[Part::kPoints]) {
    for (int k = 0; k < Part::kPoints; ++k) out[k] = x[kCorners[I][k]];
  }

  static Rest rest(const Vec3<T> (&x)[kPoints]) {
    Rest out;
    [&]<int... I>(std::integer_sequence<int, I...>) {
      ((out.part[I] = rest_of<I>(x)), ...);
    }(std::make_integer_sequence<int, kEntries>());
    return out;
  }

  template <int I>
  static T evaluate_entry(const Rest& rest, const Vec3<T> (&x)[kPoints], Vec3<T> (&gradient)[kPoints]) {
    Vec3<T> own[Part::kPoints], g[Part::kPoints];
    corners_of<I>(x, own);
    const T C = Part::evaluate(rest.part[I], own, g);
    for (Vec3<T>& of_corner : gradient) of_corner = {T(0), T(0), T(0)};
    for (int k = 0; k < Part::kPoints; ++k) gradient[kCorners[I][k]] = g[k];
    return C;
  }

 private:
  template <int I>
  static typename Part::Rest rest_of(const Vec3<T> (&x)[kPoints]) {
    Vec3<T> own[Part::kPoints];
    corners_of<I>(x, own);
    return Part::rest(own);
  }
};

/// The sides of a triangle.
struct SidesOfTriangle {
  static constexpr int kPoints = 3, kCount = 3;
  static constexpr int kCorners[kCount][2] = {{0, 1}, {1, 2}, {2, 0}};
};
template <class T>
struct ThreeDistances : Cluster<Distance, T, SidesOfTriangle> {
  static constexpr const char* kPartName = "distance";
};

/// The hinges of a triangle 0, 1, 2 whose neighbours end in 3 (across 0-1), 4 (across 1-2) and 5 (across 2-0).
struct HingesOfTriangle {
  static constexpr int kPoints = 6, kCount = 3;
  static constexpr int kCorners[kCount][4] = {{0, 1, 2, 3}, {1, 2, 0, 4}, {2, 0, 1, 5}};
};
template <class T>
struct ThreeBends : Cluster<Bend, T, HingesOfTriangle> {
  static constexpr const char* kPartName = "bend";
  static constexpr double kPeriod = Bend<T>::kPeriod;
};

}  // namespace pliant
