#pragma once
// How far particles may move so that nothing meets, from distances alone.
//
// For each element (triangle or segment) i let D_i be its least distance to all others, that of corners and parts that
// belong to both left out: of vertices from triangles and of edges from edges. A particle may move by
//
//   b_v = gamma min { D_i : v is a corner of i },         gamma < 1/2
//
// in any direction, and so may all others: two features at distance D, of elements i and j, come closer by no more than
// gamma (D_i + D_j) <= 2 gamma D < D. (Offset geometric contact, Chen et al. 2025, bounds its particles so.) What moves
// and cannot be held, by m at most, is given way: its distance counts as D - m, and gamma (D - m) + m < D as long as
// m < D.
//
// The search for each D_i looks for one nearest neighbour and no farther than i is going to move. It is linear in the
// number of elements but for a logarithm, however many are near; an element that meets too many others on the way
// (kMostNear, kMostLooks) may not move at all. So it serves where a search for all pairs that may meet would find too
// many.

#include <cstdint>
#include <span>
#include <vector>

#include "contact/freed_pairs.h"
#include "contact/surface.h"
#include "pliant/jobs.h"
#include "pliant/vec.h"

namespace pliant {

class DistanceBound {
 public:
  static constexpr double kGamma = 0.45;
  /// Part of an element's size [1] below which a distance counts as none: ends of ways are rounded.
  static constexpr double kRounded = 1e-5;
  /// Others whose boxes are near, and of these such that no plane of one of the two tells apart far enough.
  static constexpr int kMostNear = 8192, kMostLooks = 256;

  struct Motions {
    std::span<const Vec3d> place;     // [m] per particle
    std::span<const double> way;      // [m] per particle, how far it wants to go
    std::span<const uint8_t> stays;   // per particle: it does what it does and cannot be held
    std::span<const uint8_t> let_be;  // per particle: pairs with it and a collider do not count; empty: none
  };

  /// Lowers `limit` [m], per particle, for the corners of these elements of the surface. Pairs of elements of which one
  /// is not among them are not looked at.
  void lower(JobSystem& jobs, const ContactSurface& surface, std::span<const int32_t> elements, const Motions& motions,
             const FreedPairs& freed, std::span<double> limit);

 private:
  struct Box {
    Vec3d low, high;
    Vec3d normal{};  // unit, of a face; zero: it has none
  };
  struct Node {
    Box box;
    double unheld;       // [m] longest way below it of what cannot be held
    int32_t begin, end;  // in order_
    int32_t right;       // the left child is the next node; -1: a leaf
  };
  void build(int32_t begin, int32_t end);
  double nearest(const ContactSurface& surface, int32_t element, const Motions& motions, const FreedPairs& freed) const;

  std::span<const int32_t> elements_;
  std::vector<Box> boxes_;        // per one of elements_
  std::vector<double> unheld_;    // [m] the same
  std::vector<double> distance_;  // [m] the same
  std::vector<int32_t> order_;
  std::vector<Node> nodes_;
};

}  // namespace pliant
