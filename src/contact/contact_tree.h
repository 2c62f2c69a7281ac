#pragma once
// The surfaces of bodies in clusters and parts, halved as a tree would be, once, from the rest shape: a surface that
// bends keeps its neighbours, so that its clusters stay good.
//
// Leaves are clusters of eight elements with the vertices and edges that belong to them. Subtrees of up to 64 clusters
// are parts: what moves much the same way. A small body is one part.

#include <array>
#include <cstdint>
#include <vector>

#include "contact/surface.h"
#include "math/quads.h"

namespace pliant {

struct ContactTree {
  static constexpr int kLeaf = 8;
  static constexpr int kMostClusters = 64;  // of a part

  /// What belongs to a leaf. Faces, vertices and edges are in packs of eight, each with its own begin.
  struct Cluster {
    int32_t corners, corners_end;  // in `corners`: all particles of its elements
    int32_t corner_packs = 0, corner_packs_end = 0;
    int32_t faces, vertices, edges, end;  // in packs
  };
  /// Corners of the pieces of a pack, lane by lane: one of a vertex, two of an edge, three of a face. What is empty at
  /// the end repeats the first.
  struct Pack8 {
    QuadAt at[3][kLeaf] = {};
    int32_t used = 0;
  };
  struct Part {
    int32_t cluster_begin, cluster_end;
    int32_t body;
  };

  void build(const ContactSurface& surface);

  std::vector<Cluster> clusters;
  std::vector<Part> parts;
  std::vector<int32_t> part_of;  // per element of the surface
  std::vector<int32_t> corners;
  std::vector<std::array<int32_t, 3>>
      pieces;  // per place of a pack: particles of a face, a vertex or an edge; -1: none
  std::vector<Pack8> packs;
  std::vector<std::array<QuadAt, kLeaf>> corner_packs;  // `corners` of a cluster; what is empty repeats the last
  // Clusters that a particle is a corner of: clusters_of[clusters_begin[i]] .. clusters_of[clusters_begin[i + 1]].
  std::vector<int32_t> clusters_of, clusters_begin;

 private:
  void build_node(const ContactSurface& surface, int begin, int end, bool in_part);
  void build_cluster(const ContactSurface& surface, int begin, int end);

  std::vector<int32_t> order_;  // elements of the body whose tree is built
  int32_t body_ = 0;
};

}  // namespace pliant
