#pragma once
// What can touch: triangles of cloth and of solids' surfaces, and segments of ropes, with their thickness.
//
// Each vertex and each edge belongs to one element (the first that has it). Pairs of elements then give pairs of
// vertices, edges and faces, each once (Curtis et al. 2008, "Fast collision detection for deformable models using
// representative-triangles").

#include <array>
#include <cstdint>
#include <vector>

namespace pliant {

struct SurfaceElement {
  std::array<int32_t, 3> corner;  // particles; a segment has its second one twice
  int32_t body;
  uint8_t vertices;  // bit k: corner k belongs to this element
  uint8_t edges;     // bit k: the edge from corner k to the next belongs to it
  bool face;         // a triangle, not a segment
};

struct ContactSurface {
  std::vector<SurfaceElement> elements;
  std::vector<int32_t> vertices;  // particles on it, ascending
  std::vector<int> body_begin;    // vertices of body b: body_begin[b] .. body_begin[b + 1]
  // Per particle:
  std::vector<int32_t> body;
  std::vector<float> half_thickness;        // [m] what two bodies keep between them is the sum of theirs
  std::vector<std::array<double, 3>> rest;  // [m]
  // Per body:
  std::vector<uint8_t> touches_itself;
  std::vector<float> edge_length;   // [m] mean
  std::vector<float> longest_edge;  // [m] at rest
  /// Particles of different bodies that a constraint ties together: (lower, higher), ascending. They do not collide.
  std::vector<std::array<int32_t, 2>> tied;
  std::vector<uint8_t> is_tied;  // per particle

  std::vector<uint8_t> rope;  // made of segments
  /// Colliders come behind the bodies. They do not meet each other, nor bodies that do not meet them.
  std::vector<int32_t> collider;         // number among the colliders' surfaces; -1: a body. Empty: all are
  std::vector<uint8_t> meets_colliders;  // of bodies
  bool bodies_meet = true;               // each other and themselves, not only colliders

  bool empty() const { return elements.empty(); }
  bool is_rope(int32_t body_number) const { return rope[body_number] != 0; }
  bool is_collider(int32_t body_number) const { return !collider.empty() && collider[body_number] >= 0; }
  bool may_meet(int32_t a, int32_t b) const {
    if (is_collider(a)) return !is_collider(b) && meets_colliders[b];
    if (is_collider(b)) return meets_colliders[a];
    return bodies_meet && (a != b || touches_itself[a]);
  }
  bool are_tied(int32_t a, int32_t b) const;
};

}  // namespace pliant
