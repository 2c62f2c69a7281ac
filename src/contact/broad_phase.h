#pragma once
// Keeps track of the pairs of vertices, edges and triangles that may come near, and tells which are due to be looked
// at.
//
// Nothing is near again before it has moved. A pair of clusters A and B (of eight elements each) has moved against each
// other by a vector, and by a length that no particle has moved more against the middle of its cluster:
//
//   D = U - V,        e = max |u - U| + max |v - V|        [m]
//
// with u, v the displacements of the particles of A and B, and U, V the middles of their ranges. Displacements count
// from the mark of a body, which is renewed now and then: what vibrates does not get anywhere. Between two moments
// after the same mark e is the sum of both, and beyond a mark that of what was reached at it. If n separates two pieces
// of them with a gap g beyond the distance at which contacts begin, then the gap is still g + n . D - e or more. So
// bodies that fly together do not move for each other, what slides along keeps its gap, and what rests in a heap is
// hardly looked at. There are three levels:
//
//   two parts      whose boxes meet: list the pairs of their clusters within a margin, until that is used up
//   two clusters   are left alone until the gap of their boxes is used up; then list their pairs that may come near on
//                  their further way
//   two pieces     are left alone until the gap that was seen is used up
//
// What is due, and when, does not change what is found: it is only never less than what may come near. Memory only
// grows.
//
// Where bodies have blown up, or many lie in the same place, everything is near everything: pairs, memory and time
// would grow with the square of the scene. Each cluster therefore has a budget of pairs that it may be looked at with,
// of clusters that it may be near, and each part one of parts, far above what bodies reach that keep out of each other
// (Budget). A part shares it out evenly among the parts it meets, four at least, and two parts have what they get from
// both: all together have no more than the sum of the budgets. Two parts whose pairs do not fit are told as crowded
// (take_crowded): what of them is found is then not all, and nothing may be concluded from it.
//
// Parts are measured with each motion, clusters only where a pair of parts asks for them (prepare): most have nothing
// near, and what rests is asked for rarely.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "contact/contact_tree.h"
#include "contact/surface.h"
#include "core/aligned.h"
#include "core/parallel.h"
#include "math/quads.h"
#include "pliant/jobs.h"

namespace pliant {

struct alignas(32) ContactBox {
  float low[4], high[4];
};

class BroadPhase {
 public:
  /// Once, from the rest shape. Pairs are wanted that are closer than `band` times the sum of their half thicknesses at
  /// the start of a substep, or come closer than `arriving` times that in it.
  void build(const ContactSurface& surface, float band, float arriving);

  /// The caller fills these, for the particles of the surface [m]: where they are at the start of a substep, and how
  /// they are going to move. The fourth number of a motion is zero where a particle cannot move.
  Quad<float>* places() { return places_.data(); }
  Quad<float>* motion() { return motion_.data(); }

  /// Positions were set.
  void forget();
  /// A substep begins: both are new. With new marks what is told of motion up to it does not depend on what was before.
  void start(JobSystem& jobs, const ContactSurface& surface, bool new_marks);
  /// Within the same substep, the motion is another one.
  void change_motion(JobSystem& jobs, const ContactSurface& surface);

  /// A pair that is due. Vertex-triangle and edge-edge are apart.
  struct Due {
    std::array<int32_t, 4> corner;  // vertex, then the triangle's; or the ends of both edges
    int32_t parts, clusters, pair;  // pair -1: it is not listed
    bool turned;                    // the first side belongs to the second cluster
  };
  struct DueLists {
    std::vector<Due> of[2];
  };
  /// Pairs of parts that may meet in this motion; loops over them can be cut anywhere.
  int64_t part_pairs() const { return static_cast<int64_t>(meeting_.size()); }
  /// One of them: its number, which stays as long as they meet in each substep, by any of its motions; and its parts.
  struct Meeting {
    int32_t number, a, b;
    bool operator==(const Meeting&) const = default;
  };
  Meeting meeting(int64_t k) const;
  std::array<int32_t, 2> bodies(const Meeting& m) const;
  /// How much its particles move against each other in this substep at most, in thicknesses.
  float speed(int64_t k) const;
  /// Notes where its parts are; and how much they are away from there against each other at most, in thicknesses.
  void note(int64_t k);
  float moved(int64_t k) const;
  /// To be called before find_due() of those that are `wanted`, with the same grace, or before find_marked() of all:
  /// measures the clusters that will be asked for.
  template <class Wanted>
  void prepare(JobSystem& jobs, float grace, bool marked, Wanted&& wanted);
  /// The pairs below some of them that may come closer than the band, less `grace` times the sum of half thicknesses.
  /// For each of them seen() must be called.
  void find_due(const ContactSurface& surface, int64_t first, int64_t last, float grace, DueLists& out);
  /// The same for pairs of clusters of which one is marked. seen() must not be called.
  void find_marked(const ContactSurface& surface, int64_t first, int64_t last, float grace, DueLists& out);
  /// The sides of a pair that was due are `gap` [m] apart at the start of the substep, or more, along a direction that
  /// points from the second side to the first.
  void seen(const Due& due, const Vec3f& direction, float gap);

  /// A particle falls short of its motion by so much [m], at most: marks its clusters.
  void mark(int32_t particle, float by);
  /// They are no longer marked, but still fall short, until the motion changes.
  void clear_marks();

  /// Parts of which anything was left out since look_again(), because too much is near, become crowded, in twos.
  /// Whether there are any new ones. Pairs of two crowded parts are no longer due.
  bool take_crowded();
  /// None is crowded but those that the search for neighbours left out.
  void look_again();
  bool is_crowded(int32_t part) const { return crowded_[static_cast<std::size_t>(part)] != 0; }
  bool are_crowded(const Meeting& m) const { return is_crowded(m.a) && is_crowded(m.b); }
  bool are_crowded(const Due& due) const {
    const PartPair& p = part_pairs_[static_cast<std::size_t>(due.parts)];
    return is_crowded(p.a) && is_crowded(p.b);
  }
  int32_t part_of_element(std::size_t element) const { return tree_.part_of[element]; }

  /// How many pairs are listed at present.
  int64_t listed() const;

 private:
  static constexpr int kLeaf = ContactTree::kLeaf;
  static constexpr int64_t kPairsPerChunk = 16;
  /// Clusters sleep that are so many substeps of their parts' motion apart.
  static constexpr float kSleep = 2;
  /// Slack that is left unused, so that roundings of the sums do not matter.
  static constexpr float kUnused = 1e-3f;
  /// Per cluster of eight elements; of parts, per part. A pile of 27 bodies took at most a tenth of what is due, awake
  /// and asleep, a third of what is listed and a fiftieth of the meetings. Beyond kMostListed nothing is left out:
  /// pairs are then found without a list.
  enum Budget : int64_t {
    kMostDue = 4096,
    kMostListed = 8192,
    kMostAwake = 1024,
    kMostAsleep = 2048,
    kMostMeetings = 256
  };
  /// Eight boxes; places that are empty overlap nothing.
  struct alignas(32) Boxes {
    float low[3][kLeaf], high[3][kLeaf];
  };
  /// Motions in a range.
  struct Moved {
    Vec3f mean{};    // [m] middle of the range, axis by axis
    float most = 0;  // [m] of a particle against it
  };
  /// Motion in this substep; up to it, counted from `before`; and what had been reached at the last mark, since the
  /// step began. Sums over marks are kept here and not in the pairs, which are many.
  struct ClusterState {
    Moved step, since, before;
    float short_by = 0;                 // [m] of a particle in this substep
    int64_t placed = -1, stepped = -1;  // substep of box and `since`, motion of `step`
  };
  struct PartState {
    Moved step, since, before;
    float short_by = 0;
    ContactBox way{};     // around its particles' ways, grown by half of the band
    ContactBox around{};  // around its ways of some substeps
    bool still = false;
    float rounding = 0;    // [m] of a difference of places
    int32_t meetings = 0;  // parts that it meets in this motion
  };
  /// Pairs in arrays: a gap of h + n . D - e beyond the band is left [m].
  struct Pairs {
    std::vector<std::array<int32_t, 4>> corner;
    std::vector<uint16_t> pieces;  // places in the packs of both clusters
    std::vector<float> x, y, z, h;
    int32_t size() const { return static_cast<int32_t>(corner.size()); }
    void resize(int32_t count);
    void add(const std::array<int32_t, 4>& corners, int a, int b, const Vec3f& n, float gap);
    void copy(int32_t from, int32_t to);
  };
  /// Two clusters that are so far apart that a look at their parts will do.
  struct Sleepers {
    int32_t a, b;
    float until;  // [m] what may pass between the parts
  };
  struct ClusterPair {
    int32_t a, b;
    // Since pairs were listed, or the gap was seen; with what the clusters have moved since the mark [m].
    Vec3f D{};
    float e = 0;
    Vec3f seen_D{};                                     // [m] when `gap` was the least of all
    float seen_e = 0, gap = -1;                         // [m] beyond the band
    Vec3f normal{};                                     // along this, if it is a plane that separates them
    Vec3f low{}, high{};                                // [m] the list has all as long as D is within, by e
    int32_t begin = 0, turned = 0, edges = 0, end = 0;  // vertex-triangle (then with the vertex in b), edge-edge
    bool listed = false, planar = false;
  };
  /// What two sides have moved against each other, since the step began or positions were marked: by `mean` and so much
  /// more. A moment that is remembered keeps `then` of it, so that with `most` of now that is e since then.
  struct Between {
    Vec3f mean{};
    float most = 0, then = 0;  // [m]
  };
  static Between between(const Moved& a, const Moved& before_a, const Moved& b, const Moved& before_b);
  /// A moment: with what the parts have moved since the mark, D and e since then [m].
  struct Then {
    Vec3f D{};
    float e = 0;
  };
  struct Quiet : Then {
    float left = -1, grace = -1;  // [m] nothing is due, with this grace, before so much has passed
  };
  struct PartPair {
    int32_t a = -1, b = -1;                   // parts, a >= b; -1: not in use
    Then listed, noted;                       // when clusters were listed; note()
    Quiet quiet;                              // nothing is due before that
    float valid = -1;                         // [m] the list has all until so much has passed
    float band = 0, thickness = 0, edge = 0;  // [m]
    int64_t met = -1;                         // substep in which the parts met last
    int32_t unused = 0;                       // pairs that no cluster pair has any more
    float first_wakes = 0;                    // [m] least `until` of all that are asleep
    bool partial = false;                     // some that are asleep did not fit
    std::vector<Sleepers> asleep;
    std::vector<ClusterPair> clusters;
    uint64_t in_a = 0, in_b = 0;  // bits of clusters of both parts that are in `clusters`, or were
    Pairs pairs;
  };

  void measure(JobSystem& jobs, bool start);
  void measure_cluster(int32_t cluster);
  void measure_needed(JobSystem& jobs);
  void need(int32_t part, uint64_t clusters);
  void need_all(const PartPair& p);
  uint64_t bit_of(int32_t part, int32_t cluster) const {
    return uint64_t{1} << (cluster - tree_.parts[part].cluster_begin);
  }
  bool is_quiet(const PartPair& p, float grace) const;
  void need_clusters(const PartPair& p, float grace, bool marked);
  static Moved moved_between(const Pack<float, 4>& low, const Pack<float, 4>& high);
  void measure_part(int64_t part, bool start);
  int32_t build_part_tree(int32_t begin, int32_t end);
  void refit_part_tree();
  void find_neighbors(JobSystem& jobs, const ContactSurface& surface);
  void meet_parts(JobSystem& jobs, const ContactSurface& surface);
  void measure_normals(JobSystem& jobs);
  int32_t part_pair(const ContactSurface& surface, int32_t a, int32_t b);
  void renew(JobSystem& jobs);
  Between between(const PartPair& p) const;
  Between between(const ClusterPair& c) const;
  float away(const PartPair& p, const Then& then) const;
  float passed(const PartPair& p) const { return away(p, p.listed); }
  void renew_marks(JobSystem& jobs, const ContactSurface& surface, bool all);
  void reset_motion(ClusterPair& c) const;
  float coming(const PartPair& p) const;
  float rounding(const PartPair& p) const { return std::max(parts_[p.a].rounding, parts_[p.b].rounding); }
  int64_t share(const PartPair& p, Budget budget) const;
  void leave_out(const PartPair& p) {
    for (const int32_t part : {p.a, p.b}) left_out_[static_cast<std::size_t>(part)].store(1, std::memory_order_relaxed);
  }
  void list_clusters(PartPair& p, float more);
  void wake(PartPair& p, float free, float more);
  // broad_phase_list.cpp
  static constexpr int kMostPacks = 8;  // of eight elements: one of faces, three of vertices and of edges at most
  struct Side {
    Boxes packs[kMostPacks];
    uint32_t near[kMostPacks];            // bits of those that overlap the other cluster's box
    int32_t first, vertices, edges, end;  // packs, from `first` on
  };
  void fill_side(int32_t cluster, int32_t other, const Vec3f& to_low, const Vec3f& to_high, const Vec3f& other_low,
                 const Vec3f& other_high, Side& side) const;
  template <class Found>
  void each_overlap(const ContactSurface& surface, const PartPair& p, const ClusterPair& c, const Side& side_a,
                    const Side& side_b, Found&& found) const;
  void find_directly(const ContactSurface& surface, PartPair& p, int32_t number, int32_t cluster_pair, float free,
                     bool marked, DueLists& out) const;
  static Due due_pair(const std::array<int32_t, 4>& corners, int section, int32_t number, int32_t cluster_pair,
                      int32_t pair);
  void list_pairs(const ContactSurface& surface, PartPair& p, ClusterPair& c, const Vec3f& low, const Vec3f& high);
  static void drop_pairs(PartPair& p, ClusterPair& c);
  static void compact(PartPair& p);
  // broad_phase_find.cpp
  struct Left {
    float start, end;
  };
  Left left(const ClusterPair& c, float free, float end_free) const;
  static float inside(const ClusterPair& c, const Vec3f& D, float by);
  float gap_between(const PartPair& p, int32_t a, int32_t b) const;
  static constexpr int kMostCornerPacks = 3;  // of the 24 corners of eight elements
  bool find_plane(const PartPair& p, ClusterPair& c, const Vec3f& step, float more, float free, float end_free) const;
  enum class Listed { none, all, fast };
  Listed list(const ContactSurface& surface, PartPair& p, ClusterPair& c, float free, float end_free,
              float parts_coming);
  void find_pairs(PartPair& p, int32_t number, int32_t cluster_pair, float free, float end_free, bool marked,
                  DueLists& out) const;
  void find(const ContactSurface& surface, int64_t first, int64_t last, float grace, bool marked, DueLists& out);

  ContactTree tree_;
  float band_ = 0, arriving_ = 0;
  std::vector<float> half_thickness_, edge_length_;  // [m] per body
  AlignedVector<Quad<float>> places_, mark_, motion_;
  std::vector<PartState> parts_;
  std::vector<ClusterState> clusters_;
  std::vector<int32_t> part_corners_begin_, part_corners_;  // per part: all particles of its elements
  std::vector<std::atomic<uint64_t>> needed_;               // per part: bits of clusters to be measured
  std::vector<int32_t> short_;                              // clusters that fall short of this motion
  int64_t motions_ = 0;
  AlignedVector<ContactBox> box_;          // per cluster: around its particles' places
  AlignedVector<Boxes> part_boxes_;        // the same, in packs
  std::vector<int32_t> part_boxes_begin_;  // per part
  std::vector<Vec3f> normal_;              // per cluster: mean of its faces, not of now
  std::vector<uint8_t> marked_;            // per cluster
  std::vector<uint8_t> renewed_;           // per body: has a new mark
  std::vector<int32_t> marks_;
  std::vector<int32_t> part_of_;  // per cluster
  std::vector<PartPair> part_pairs_;
  std::vector<int32_t> free_;                                      // of them
  std::vector<std::vector<std::pair<int32_t, int32_t>>> partner_;  // per part: lower ones, and their pair
  std::vector<int32_t> meeting_;                                   // pairs of parts that may meet in this motion
  std::vector<std::pair<int32_t, int32_t>> neighbors_;             // parts that can meet while none leaves its `around`
  /// Tree over the parts, each with its `around`.
  struct PartNode {
    ContactBox box;
    int32_t begin, end, left, right;  // in in_space_; children, or -1
  };
  AlignedVector<PartNode> part_nodes_;
  std::vector<int32_t> in_space_;  // parts, neighbours in the tree side by side
  std::vector<std::pair<int32_t, int32_t>> part_stack_;
  std::vector<std::atomic<uint8_t>> left_out_;  // per part: not all of its pairs were found
  std::vector<uint8_t> crowded_;                // per part
  std::vector<uint8_t> has_dropped_;            // per part: neighbours that did not fit
  int64_t next_part_tree_ = 0;                  // substep in which it is made anew
  int64_t substeps_ = 0;
  bool fresh_ = true;
};

template <class Wanted>
void BroadPhase::prepare(JobSystem& jobs, float grace, bool marked, Wanted&& wanted) {
  parallel_for(jobs, part_pairs(), kPairsPerChunk, [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      if (wanted(k)) need_clusters(part_pairs_[meeting_[static_cast<std::size_t>(k)]], grace, marked);
    }
  });
  measure_needed(jobs);
}

}  // namespace pliant
