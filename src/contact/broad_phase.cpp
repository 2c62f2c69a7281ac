#include "contact/broad_phase.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/parallel.h"
#include "math/simd.h"

namespace pliant {

namespace {

constexpr int64_t kElementsPerChunk = 128;
constexpr int64_t kMostCells = 64;  // of an element in the table
constexpr double kCellOfBox = 1.5;  // edge of a cell / mean extent of an element's box

ContactBox around(const ContactBox& a, const ContactBox& b) {
  ContactBox out;
  for (int k = 0; k < 4; ++k) {
    out.low[k] = std::min(a.low[k], b.low[k]);
    out.high[k] = std::max(a.high[k], b.high[k]);
  }
  return out;
}

bool boxes_overlap(const ContactBox& a, const ContactBox& b) {
  using V = Pack<float, 4>;  // the fourth is zero in all
  return all((V::load(a.low) <= V::load(b.high)) & (V::load(b.low) <= V::load(a.high)));
}

constexpr int kCellBits = 21;
uint64_t pack(int32_t i, int32_t j, int32_t k) {
  return static_cast<uint64_t>(i) << (2 * kCellBits) | static_cast<uint64_t>(j) << kCellBits | static_cast<uint64_t>(k);
}

template <class T>
void grow(std::vector<T>& v, std::size_t size) {
  if (v.capacity() < size) v.reserve(size + size / 2);
  v.resize(size);
}

}  // namespace

bool ContactSurface::are_tied(int32_t a, int32_t b) const {
  if (!is_tied[a] || !is_tied[b]) return false;
  return std::binary_search(tied.begin(), tied.end(), std::array<int32_t, 2>{std::min(a, b), std::max(a, b)});
}

int64_t BroadPhase::Range::count() const {
  int64_t n = 1;
  for (int k = 0; k < 3; ++k) n *= high[k] - low[k] + 1;
  return n;
}

BroadPhase::Range BroadPhase::range_of(const ContactBox& box) const {
  Range range;
  constexpr float kMost = (1 << kCellBits) - 1;
  for (int k = 0; k < 3; ++k) {
    // What lies outside (nothing but by rounding) goes to the border cells.
    const auto cell = [&](float x) {
      return static_cast<int32_t>(std::clamp((x - corner_[k]) * inverse_cell_, 0.0f, kMost));
    };
    range.low[k] = cell(box.low[k]);
    range.high[k] = cell(box.high[k]);
  }
  return range;
}

uint64_t BroadPhase::bucket_of(uint64_t cell) const {
  return (cell * 0x9e3779b97f4a7c15u) >> (64 - bucket_bits_);  // Fibonacci hashing
}

/// The mean extent of an element decides the size of a cell.
void BroadPhase::choose_cells(JobSystem& jobs) {
  const int64_t count = static_cast<int64_t>(element_box_.size());
  const int64_t chunks = chunk_count(count, kElementsPerChunk);
  grow(partial_, chunks);
  grow(partial_box_, chunks);
  parallel_for_chunks(jobs, count, kElementsPerChunk, [&](int64_t chunk, int64_t begin, int64_t end) {
    double sum = 0;
    ContactBox all = element_box_[begin];
    for (int64_t e = begin; e < end; ++e) {
      const ContactBox& box = element_box_[e];
      sum += std::max({box.high[0] - box.low[0], box.high[1] - box.low[1], box.high[2] - box.low[2]});
      all = around(all, box);
    }
    partial_[chunk] = sum;
    partial_box_[chunk] = all;
  });
  double sum = 0;
  ContactBox all = partial_box_[0];
  for (int64_t chunk = 0; chunk < chunks; ++chunk) {
    sum += partial_[chunk];
    all = around(all, partial_box_[chunk]);
  }
  float extent = 0;
  for (int k = 0; k < 3; ++k) {
    corner_[k] = all.low[k];
    extent = std::max(extent, all.high[k] - all.low[k]);
  }
  // Not so small that a coordinate leaves its bits, however far something has flown.
  const float cell =
      std::max(static_cast<float>(kCellOfBox * sum / static_cast<double>(count)), extent / (1 << (kCellBits - 1)));
  inverse_cell_ = cell > 0 && std::isfinite(cell) ? 1 / cell : 0;
}

void BroadPhase::fill_table(JobSystem& jobs) {
  const int64_t count = static_cast<int64_t>(element_box_.size());
  grow(is_large_, count);
  grow(range_, count);
  const auto entries_of = [&](int64_t begin, int64_t end) {
    double n = 0;
    for (int64_t e = begin; e < end; ++e) {
      range_[e] = range_of(element_box_[e]);
      const int64_t cells = range_[e].count();
      is_large_[e] = cells > kMostCells;
      if (!is_large_[e]) n += static_cast<double>(cells);
    }
    return n;
  };
  const int64_t total = static_cast<int64_t>(
      chunked_sum<double>(jobs, count, kElementsPerChunk, std::span<double>(partial_), entries_of));
  large_.clear();
  for (int64_t e = 0; e < count; ++e) {
    if (is_large_[e]) large_.push_back(static_cast<int32_t>(e));
  }
  bucket_bits_ = std::max(4, static_cast<int>(std::bit_width(static_cast<uint64_t>(total))));
  const int64_t buckets = int64_t{1} << bucket_bits_;
  if (static_cast<int64_t>(bucket_.size()) < buckets + 1) bucket_ = std::vector<std::atomic<int32_t>>(buckets + 1);
  grow(entries_, static_cast<std::size_t>(total));
  parallel_for(jobs, buckets + 1, 8192, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) bucket_[b].store(0, std::memory_order_relaxed);
  });
  const auto each_cell = [&](int64_t e, auto&& f) {
    if (is_large_[e]) return;
    const Range& r = range_[e];
    for (int32_t i = r.low[0]; i <= r.high[0]; ++i) {
      for (int32_t j = r.low[1]; j <= r.high[1]; ++j) {
        for (int32_t k = r.low[2]; k <= r.high[2]; ++k) f(pack(i, j, k));
      }
    }
  };
  parallel_for(jobs, count, kElementsPerChunk, [&](int64_t begin, int64_t end) {
    for (int64_t e = begin; e < end; ++e) {
      each_cell(e, [&](uint64_t cell) { bucket_[bucket_of(cell)].fetch_add(1, std::memory_order_relaxed); });
    }
  });
  int32_t sum = 0;
  for (int64_t b = 0; b < buckets; ++b) {
    sum += bucket_[b].load(std::memory_order_relaxed);
    bucket_[b].store(sum, std::memory_order_relaxed);  // the end; filling goes down to the begin
  }
  bucket_[buckets].store(sum, std::memory_order_relaxed);
  // The order in a bucket depends on the threads; who looks into it sorts what it takes.
  parallel_for(jobs, count, kElementsPerChunk, [&](int64_t begin, int64_t end) {
    for (int64_t e = begin; e < end; ++e) {
      each_cell(e, [&](uint64_t cell) {
        const int32_t at = bucket_[bucket_of(cell)].fetch_sub(1, std::memory_order_relaxed) - 1;
        entries_[at] = {cell, static_cast<int32_t>(e)};
      });
    }
  });
}

/// Elements of lower number whose boxes overlap, ascending, each once: a pair counts in the lowest cell it shares.
void BroadPhase::find_partners(const ContactSurface& surface, int32_t element, Wanted kind,
                               std::vector<int32_t>& partners) const {
  partners.clear();
  const int32_t body = surface.elements[element].body;
  const ContactBox box = element_box_[element];
  const bool same = kind == Wanted::within_bodies;
  if (same && !surface.touches_itself[body]) return;
  const auto wanted = [&](int32_t other) {
    return (surface.elements[other].body == body) == same && boxes_overlap(box, element_box_[other]);
  };
  if (is_large_[element]) {
    for (int32_t other = 0; other < element; ++other) {
      if (wanted(other)) partners.push_back(other);
    }
    return;
  }
  for (const int32_t other : large_) {
    if (other < element && wanted(other)) partners.push_back(other);
  }
  const Range& r = range_[element];
  for (int32_t i = r.low[0]; i <= r.high[0]; ++i) {
    for (int32_t j = r.low[1]; j <= r.high[1]; ++j) {
      for (int32_t k = r.low[2]; k <= r.high[2]; ++k) {
        const uint64_t cell = pack(i, j, k);
        const uint64_t bucket = bucket_of(cell);
        const int32_t end = bucket_[bucket + 1].load(std::memory_order_relaxed);
        for (int32_t at = bucket_[bucket].load(std::memory_order_relaxed); at < end; ++at) {
          const Entry& entry = entries_[at];
          if (entry.element >= element || entry.cell != cell || !wanted(entry.element)) continue;
          const Range& other = range_[entry.element];
          if (std::max(r.low[0], other.low[0]) != i || std::max(r.low[1], other.low[1]) != j ||
              std::max(r.low[2], other.low[2]) != k) {
            continue;
          }
          partners.push_back(entry.element);
        }
      }
    }
  }
  std::sort(partners.begin(), partners.end());
}

namespace {

bool shares(const std::array<int32_t, 3>& corners, int32_t v) {
  return corners[0] == v || corners[1] == v || corners[2] == v;
}

/// The pairs of parts of two elements, as far as the parts' boxes overlap and nothing ties them.
class PairsOfParts {
 public:
  PairsOfParts(const ContactSurface& surface, std::span<const ContactBox> boxes, std::span<const ContactBox> elements,
               std::vector<ContactCandidate>& vertex_triangle, std::vector<ContactCandidate>& edge_edge)
      : surface_(surface),
        boxes_(boxes),
        elements_(elements),
        vertex_triangle_(vertex_triangle),
        edge_edge_(edge_edge) {}

  void add(int32_t i, int32_t j) {
    vertices_with_face(i, j);
    vertices_with_face(j, i);
    const SurfaceElement &a = surface_.elements[i], &b = surface_.elements[j];
    for (int k = 0; k < 3; ++k) {
      if (!(a.edges >> k & 1)) continue;
      const int32_t a0 = a.corner[k], a1 = a.corner[(k + 1) % 3];
      const ContactBox box = around(boxes_[a0], boxes_[a1]);
      if (!boxes_overlap(box, elements_[j])) continue;
      for (int m = 0; m < 3; ++m) {
        if (!(b.edges >> m & 1)) continue;
        const int32_t b0 = b.corner[m], b1 = b.corner[(m + 1) % 3];
        if (a0 == b0 || a0 == b1 || a1 == b0 || a1 == b1) continue;
        if (!boxes_overlap(box, around(boxes_[b0], boxes_[b1]))) continue;
        if (a.body != b.body && (surface_.are_tied(a0, b0) || surface_.are_tied(a0, b1) || surface_.are_tied(a1, b0) ||
                                 surface_.are_tied(a1, b1))) {
          continue;
        }
        edge_edge_.push_back({{a0, a1, b0, b1}});
      }
    }
  }

 private:
  void vertices_with_face(int32_t i, int32_t j) {
    const SurfaceElement &a = surface_.elements[i], &b = surface_.elements[j];
    if (!b.face) return;
    for (int k = 0; k < 3; ++k) {
      if (!(a.vertices >> k & 1)) continue;
      const int32_t v = a.corner[k];
      if (shares(b.corner, v) || !boxes_overlap(boxes_[v], elements_[j])) continue;
      if (a.body != b.body && (surface_.are_tied(v, b.corner[0]) || surface_.are_tied(v, b.corner[1]) ||
                               surface_.are_tied(v, b.corner[2]))) {
        continue;
      }
      vertex_triangle_.push_back({{v, b.corner[0], b.corner[1], b.corner[2]}});
    }
  }

  const ContactSurface& surface_;
  std::span<const ContactBox> boxes_, elements_;
  std::vector<ContactCandidate>& vertex_triangle_;
  std::vector<ContactCandidate>& edge_edge_;
};

}  // namespace

void BroadPhase::find(JobSystem& jobs, const ContactSurface& surface, std::span<const ContactBox> boxes,
                      Wanted wanted) {
  const int64_t count = static_cast<int64_t>(surface.elements.size());
  vertex_triangle_.clear();
  edge_edge_.clear();
  if (count == 0) return;
  element_box_.resize(count);
  parallel_for(jobs, count, kElementsPerChunk, [&](int64_t begin, int64_t end) {
    for (int64_t e = begin; e < end; ++e) {
      const auto& c = surface.elements[e].corner;
      element_box_[e] = around(around(boxes[c[0]], boxes[c[1]]), boxes[c[2]]);
    }
  });
  choose_cells(jobs);
  fill_table(jobs);

  const int64_t chunks = chunk_count(count, kElementsPerChunk);
  if (static_cast<int64_t>(found_.size()) < chunks) found_.resize(chunks);
  parallel_for_chunks(jobs, count, kElementsPerChunk, [&](int64_t chunk, int64_t begin, int64_t end) {
    Found& found = found_[chunk];
    found.vertex_triangle.clear();
    found.edge_edge.clear();
    PairsOfParts pairs(surface, boxes, element_box_, found.vertex_triangle, found.edge_edge);
    for (int64_t e = begin; e < end; ++e) {
      find_partners(surface, static_cast<int32_t>(e), wanted, found.partners);
      for (const int32_t other : found.partners) pairs.add(static_cast<int32_t>(e), other);
    }
  });
  for (const auto& [part, all] :
       {std::pair{&Found::vertex_triangle, &vertex_triangle_}, std::pair{&Found::edge_edge, &edge_edge_}}) {
    std::size_t sum = 0;
    for (int64_t chunk = 0; chunk < chunks; ++chunk) sum += (found_[chunk].*part).size();
    if (all->capacity() < sum) all->reserve(sum + sum / 2);
    for (int64_t chunk = 0; chunk < chunks; ++chunk) {
      all->insert(all->end(), (found_[chunk].*part).begin(), (found_[chunk].*part).end());
    }
  }
}

}  // namespace pliant
