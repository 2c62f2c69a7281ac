#pragma once
// Finds the pairs of vertices, edges and triangles whose boxes overlap.
//
// Each body has a tree over its elements, made once from the rest shape and refitted: a surface that bends keeps its
// neighbours, so that the tree stays good. Leaves are clusters of eight elements with the vertices and edges that
// belong to them. Bodies that overlap are found by a sweep along one axis; then the trees of two are walked together.
// For leaves that meet, each vertex or edge of one is compared with packs of eight triangles or edges of the other.
//
// Where few particles have left their boxes, only their own pairs are found and added. Pairs and their order do not
// depend on the number of threads. Memory only grows.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "contact/surface.h"
#include "core/aligned.h"
#include "pliant/jobs.h"

namespace pliant {

struct alignas(32) ContactBox {
  float low[4], high[4];  // the fourth is zero
};

class BroadPhase {
 public:
  /// Once, from the rest shape.
  void build(const ContactSurface& surface);
  /// `boxes` has one per particle: where it is and goes, grown by half of the distance that pairs are wanted at. Two
  /// bodies that stand still (per body) give no pairs.
  void find(JobSystem& jobs, const ContactSurface& surface, std::span<const ContactBox> boxes,
            std::span<const uint8_t> still);

  /// Adds the pairs of particles whose boxes have changed since; some pairs are then there twice.
  void add(JobSystem& jobs, const ContactSurface& surface, std::span<const ContactBox> boxes,
           std::span<const int32_t> changed);

  /// The caller may take pairs out that it does not want.
  std::vector<ContactCandidate>& vertex_triangle() { return vertex_triangle_; }
  std::vector<ContactCandidate>& edge_edge() { return edge_edge_; }

 private:
  static constexpr int kLeaf = 8;
  struct Node {
    int32_t right = -1;    // the left child is the next node; -1: a leaf
    int32_t cluster = -1;  // of a leaf
    int32_t clusters = 0;  // below
  };
  /// Eight boxes; places that are empty overlap nothing.
  struct alignas(32) Boxes {
    float low[3][kLeaf], high[3][kLeaf];
  };
  /// What belongs to a leaf. Faces, vertices and edges are in packs of eight, each with its own begin; -1: none.
  struct Cluster {
    int32_t corners, corners_end;         // in corners_: all particles of its elements
    int32_t faces, vertices, edges, end;  // in packs
  };
  struct NodePair {
    int32_t a, b;
  };
  struct Found {  // of some pairs of nodes, or of leaves
    std::vector<NodePair> stack, leaves;
    std::vector<int32_t> nodes;
    std::vector<ContactCandidate> vertex_triangle, edge_edge;
  };

  int32_t build_node(const ContactSurface& surface, int begin, int end);
  void build_cluster(const ContactSurface& surface, int begin, int end);
  void refit(JobSystem& jobs, std::span<const ContactBox> boxes);
  void find_bodies(const ContactSurface& surface, std::span<const uint8_t> still);
  bool overlap(const NodePair& pair) const;
  /// The pairs below this one, in order; none if both are leaves.
  int split(const NodePair& pair, NodePair (&into)[3]) const;
  void walk(const NodePair& from, Found& found);
  void find_leaves(JobSystem& jobs);
  void fill_boxes(JobSystem& jobs, std::span<const ContactBox> boxes);
  template <class F>
  void meeting(int32_t begin, int32_t end, const ContactBox& others, int32_t other_begin, int32_t other_end,
               F&& found) const;
  void compare(const ContactSurface& surface, const NodePair& leaves, Found& found) const;
  void build_stars(int particles);
  void find_around(const ContactSurface& surface, std::span<const ContactBox> boxes, int32_t particle,
                   Found& found) const;
  void append(int64_t chunks);

  std::vector<int32_t> order_;  // elements, while a body's tree is built
  std::vector<Node> nodes_;
  std::vector<int32_t> root_;      // per body; one more at the end; a body without elements has none
  AlignedVector<ContactBox> box_;  // per node
  std::vector<Cluster> clusters_;
  std::vector<int32_t> corners_;
  std::vector<std::array<int32_t, 3>> parts_;  // per place of a pack: particles of a face, a vertex or an edge
  AlignedVector<Boxes> packs_;
  std::vector<int32_t> parent_;                // per node, or -1
  std::vector<int32_t> leaf_;                  // per cluster: its node
  std::vector<int32_t> star_, star_begin_;     // per particle: numbers of the parts that it belongs to
  std::vector<uint8_t> wanted_;                // per cluster: its packs are needed
  std::vector<NodePair> pairs_, split_pairs_;  // of nodes, where walks begin
  std::vector<NodePair> leaves_;               // nodes
  std::vector<int32_t> by_low_;                // bodies along the axis
  std::vector<Found> found_;
  std::vector<ContactCandidate> vertex_triangle_, edge_edge_;
};

}  // namespace pliant
