#pragma once
// Finds the pairs of vertices, edges and triangles whose boxes overlap.
//
// A grid of cells, about as large as an element, in a hash table; each element stands in all cells that it reaches
// into. Linear in the number of elements as long as they are of similar size; the few that reach into many cells (in
// fast flight, or much larger than others) are compared with all. Elements look for partners in parallel; the order of
// the result follows from their numbers alone. Memory only grows.

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "contact/surface.h"
#include "core/aligned.h"
#include "pliant/jobs.h"

namespace pliant {

struct alignas(32) ContactBox {
  float low[4], high[4];  // the fourth is not used
};

class BroadPhase {
 public:
  enum class Wanted { within_bodies, between_bodies };
  /// `boxes` has one per particle: where it is and goes, grown by half of the distance that pairs are wanted at.
  void find(JobSystem& jobs, const ContactSurface& surface, std::span<const ContactBox> boxes, Wanted wanted);

  /// Ordered by the numbers of their elements.
  const std::vector<ContactCandidate>& vertex_triangle() const { return vertex_triangle_; }
  const std::vector<ContactCandidate>& edge_edge() const { return edge_edge_; }

 private:
  struct Range {
    int32_t low[3], high[3];  // cells, both included
    int64_t count() const;
  };
  struct Entry {
    uint64_t cell;
    int32_t element;
  };
  struct Found {  // of one chunk of elements
    std::vector<int32_t> partners;
    std::vector<ContactCandidate> vertex_triangle, edge_edge;
  };

  void choose_cells(JobSystem& jobs);
  void fill_table(JobSystem& jobs);
  void find_partners(const ContactSurface& surface, int32_t element, Wanted wanted,
                     std::vector<int32_t>& partners) const;
  Range range_of(const ContactBox& box) const;
  uint64_t bucket_of(uint64_t cell) const;

  std::vector<ContactBox, AlignedAllocator<ContactBox>> element_box_;
  std::vector<Range> range_;  // per element
  std::vector<int32_t> large_;
  std::vector<uint8_t> is_large_;
  float corner_[3] = {};
  float inverse_cell_ = 1;
  std::vector<std::atomic<int32_t>> bucket_;  // begin of each; one more at the end
  std::vector<Entry> entries_;
  int bucket_bits_ = 0;
  std::vector<Found> found_;
  std::vector<double> partial_;
  std::vector<ContactBox> partial_box_;
  std::vector<ContactCandidate> vertex_triangle_, edge_edge_;
};

}  // namespace pliant
