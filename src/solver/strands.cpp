// Strands: dynamic follow-the-leader (bender13 3.5, eq. 13, after Müller, Kim and Chentanez 2012).
//
// From the root down each particle is drawn to its rest distance from its leader, which has moved already:
//
//   x_i <- x_{i-1} + l_i (x_i - x_{i-1}) / |x_i - x_{i-1}|,       d_i = the correction
//
// One pass, and no segment is stretched. It acts as if each particle had infinitely more mass than its follower, so the
// followers' pull is given back to the leaders' velocities:
//
//   v_i = (x_i - x_i at the start) / dt - leader_push d_{i+1} / dt
//
// Rest shape: in the frame of its root each segment is drawn towards its rest direction g, by
//
//   k = (w dt)^2 / (1 + (w dt)^2),   w = 2 pi shape_frequency
//
// which is what an implicit step does to a spring of that frequency. A follower does not act on its leader, so a strand
// is a chain of filters w^2 / (s^2 + c s + w^2), each fed by the one above; without damping they pass a motion of
// frequency w on with growing amplitude. Hence motion relative to the root's frame is damped with c = sqrt(2) w, the
// least for which no filter amplifies.
//
// Both momenta are given up by this stage.
//
// A pack holds one segment of as many strands as it has lanes; groups of strands run on all threads.
// Degenerate: a particle at the place of its leader goes on in the direction of the segment above.
// Particles that are pinned or held stay where they are, and the strand begins anew below them.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/parallel.h"
#include "solver/riders.h"
#include "solver/solver.h"

namespace pliant {

namespace {

constexpr int64_t kGroupsPerChunk = 4;

/// `lanes` strands side by side, from one particle array to the next.
template <class Real>
struct StrandView {
  const Quad<Real>*base, *start, *rest;
  const Quad<Real>*upright, *turn;  // of the root's frame: since the beginning, and in this substep
  Quad<Real>*offset, *correction;
  int64_t stride;  // from one row to the next
  int rows;
  Real shape, damping;  // k and the part of the relative motion that is taken away; 0: no rest shape
};

template <class T>
Quat<T> quaternion(const Quads<T>& q) {
  Vec3<T> v;
  T w;
  q.get(v, w);
  return {v.x, v.y, v.z, w};
}

template <class T, bool kShaped>
void follow(const StrandView<ScalarOf<T>>& s, int lane) {
  using S = ScalarOf<T>;
  Quads<T> leader = Quads<T>::stream(s.offset, lane);
  Quads<T> leader_base = Quads<T>::stream(s.base, lane);
  Vec3<T> above{T(S(0)), T(S(1)), T(S(0))};
  Quat<T> upright = Quat<T>::identity(), turn = upright;
  Vec3<T> root_motion{};
  Quads<T> root_start = leader;
  const Quads<T> root_base = leader_base;
  if constexpr (kShaped) {
    upright = quaternion(Quads<T>::stream(s.upright, lane));
    turn = quaternion(Quads<T>::stream(s.turn, lane));
    root_start = Quads<T>::stream(s.start, lane);
    root_motion = (leader - root_start).xyz();
  }
  for (int row = 1; row < s.rows; ++row) {
    const int64_t at = row * s.stride;
    const Quads<T> old = Quads<T>::stream(s.offset + at, lane), base = Quads<T>::stream(s.base + at, lane);
    const Quads<T> base_edge = base - leader_base;
    Vec3<T> from, rest;
    T l, w;
    old.get(from, w);
    Quads<T>::stream(s.rest + at, lane).get(rest, l);
    Vec3<T> toward = ((old - leader) + base_edge).xyz();
    if constexpr (kShaped) {
      // The motion of this substep against that of the root's frame.
      const Quads<T> start = Quads<T>::stream(s.start + at, lane);
      const Vec3<T> arm = ((start - root_start) + (base - root_base)).xyz();
      const Vec3<T> rigid = (rotate(turn, arm) - arm) + root_motion;
      const Vec3<T> loss = ((old - start).xyz() - rigid) * T(s.damping);
      from = from - loss;
      toward = toward - loss;
    }
    const T square = dot(toward, toward);
    const auto usable = square >= T(std::numeric_limits<S>::min());
    const T inverse = T(S(1)) / sqrt(square);
    Vec3<T> direction{select(usable, toward.x * inverse, above.x), select(usable, toward.y * inverse, above.y),
                      select(usable, toward.z * inverse, above.z)};
    if constexpr (kShaped) {
      const Vec3<T> bent = mul_add(rotate(upright, rest) - direction, T(s.shape), direction);
      const T size = dot(bent, bent);
      const auto turns = size >= T(S(1e-6));  // else the goal is straight behind: no way is the shorter one
      const T scale = T(S(1)) / sqrt(size);
      direction = {select(turns, bent.x * scale, direction.x), select(turns, bent.y * scale, direction.y),
                   select(turns, bent.z * scale, direction.z)};
    }
    const Vec3<T> to = leader.xyz() + mul_add(direction, l, -base_edge.xyz());
    const auto moves = w > T(S(0));
    const Vec3<T> d{zero_unless(moves, to.x - from.x), zero_unless(moves, to.y - from.y),
                    zero_unless(moves, to.z - from.z)};
    const Vec3<T> stays = old.xyz();
    const Vec3<T> placed{select(moves, to.x, stays.x), select(moves, to.y, stays.y), select(moves, to.z, stays.z)};
    const Quads<T> next = Quads<T>::from(placed) + (old - old.without_w());
    next.stream_out(s.offset + at, lane);
    Quads<T>::from(d).stream_out(s.correction + at, lane);
    leader = next;
    leader_base = base;
    above = direction;
  }
}

template <class Real, int W>
void follow_group(StrandView<Real> s, int64_t lanes) {
  const auto run = [&]<class T>(T, int lane) {
    if (s.shape > Real(0)) {
      follow<T, true>(s, lane);
    } else {
      follow<T, false>(s, lane);
    }
  };
  if (lanes == kLanes) {
    for (int lane = 0; lane < kLanes; lane += W) run(Wide<Real, W>(Real(0)), lane);
    return;
  }
  for (int64_t k = 0; k < lanes; ++k) {  // the narrow group at the end, strand by strand
    StrandView<Real> one = s;
    one.base += k;
    one.start += k;
    one.rest += k;
    one.upright += k;
    one.turn += k;
    one.offset += k;
    one.correction += k;
    if (one.shape > Real(0)) {
      follow<Real, true>(one, 0);
    } else {
      follow<Real, false>(one, 0);
    }
  }
}

template <class Real>
auto follow_group_of_width(int width) {
  return width == 1   ? follow_group<Real, 1>
         : width == 4 ? follow_group<Real, 4>
         : width == 8 ? follow_group<Real, 8>
                      : follow_group<Real, 16>;
}

}  // namespace

template <class Real>
void Solver<Real>::follow_leaders() {
  const auto follow = follow_group_of_width<Real>(width_);
  int64_t done = 0;
  for (std::size_t k = 0; k < model_.strands.size(); ++k) {
    const StrandSet<Real>& set = model_.strands[k];
    AlignedVector<Quad<Real>>&upright = strand_upright_[k], &turn = strand_turn_[k];
    const auto set_frame = [&](int32_t place, const Quat<double>& now, const Quat<double>& before) {
      const Quat<double> t = now * conjugate(before);
      upright[place] = {Real(now.x), Real(now.y), Real(now.z), Real(now.w)};
      turn[place] = {Real(t.x), Real(t.y), Real(t.z), Real(t.w)};
    };
    for (const auto& [rider, place] : set.riders) {
      const Rider& r = model_.riders[rider];
      const auto was = [&](int corner) {
        const int32_t i = r.corners[corner];
        const Quad<Real>&b = state_.base[i], &o = state_.start[i];
        return Vec3d{double(b.x) + o.x, double(b.y) + o.y, double(b.z) + o.z};
      };
      const Vec3d x[3] = {position(r.corners[0]), position(r.corners[1]), position(r.corners[2])};
      const Vec3d before[3] = {was(0), was(1), was(2)};
      set_frame(place, triangle_frame(x) * conjugate(r.start), triangle_frame(before) * conjugate(r.start));
    }
    for (const auto& [pin, place] : set.pins) set_frame(place, pin_turns_[pin][0], pin_turns_[pin][1]);
    const double angle = 2 * std::numbers::pi * set.shape_frequency * double(dt_);
    const double loss = std::numbers::sqrt2 * angle;
    const Real shape = static_cast<Real>(angle * angle / (1 + angle * angle));
    const Real damping = static_cast<Real>(loss / (1 + loss));
    parallel_for(*jobs_, set.groups(), kGroupsPerChunk, [&](int64_t begin, int64_t end) {
      for (int64_t g = begin; g < end; ++g) {
        const int64_t at = g * kLanes * set.rows;
        follow({state_.base.data() + set.first + at, state_.start.data() + set.first + at, set.rest.data() + at,
                upright.data() + g * kLanes, turn.data() + g * kLanes, state_.offset.data() + set.first + at,
                strand_correction_.data() + done + at, set.lanes(g), set.rows, shape, damping},
               set.lanes(g));
      }
    });
    done += int64_t{set.strands} * set.rows;
  }
}

template <class Real>
void Solver<Real>::push_leaders() {
  using V = Pack<Real, 4>;
  int64_t done = 0;
  for (const StrandSet<Real>& set : model_.strands) {
    const Quad<Real>* correction = strand_correction_.data() + done;
    done += int64_t{set.strands} * set.rows;
    if (!set.dynamic) continue;
    const V rate(set.leader_push / dt_);
    parallel_for(*jobs_, set.groups(), kGroupsPerChunk, [&](int64_t begin, int64_t end) {
      for (int64_t g = begin; g < end; ++g) {
        const int64_t lanes = set.lanes(g), first = g * kLanes * set.rows;
        for (int64_t i = first; i < first + (set.rows - 1) * lanes; ++i) {
          if (state_.offset[set.first + i].w == Real(0)) continue;
          Real* v = &state_.velocity[set.first + i].x;
          neg_mul_add(V::load(&correction[i + lanes].x), rate, V::load(v)).store(v);
        }
      }
    });
  }
}

std::vector<int> strand_order(const BodyInput& body) {
  StrandSet<float> set;
  set.rows = body.strands->segments + 1;
  set.strands = body.vertices() / set.rows;
  std::vector<int> order(body.rest.size());
  for (int strand = 0; strand < set.strands; ++strand) {
    for (int row = 0; row < set.rows; ++row) order[set.place(strand, row)] = strand * set.rows + row;
  }
  return order;
}

template <class Real>
StrandSet<Real> build_strands(const ModelInput& input, const BodyInput& body, const Model<Real>& model) {
  StrandSet<Real> set;
  set.first = body.first_particle;
  set.rows = body.strands->segments + 1;
  set.strands = body.vertices() / set.rows;
  set.dynamic = body.strands->dynamic;
  set.leader_push = static_cast<Real>(body.strands->leader_push);
  set.shape_frequency = body.strands->shape_frequency;
  set.rest.resize(body.rest.size());
  for (int strand = 0; strand < set.strands; ++strand) {
    for (int row = 1; row < set.rows; ++row) {
      const int v = strand * set.rows + row;
      const double l = length(body.rest[v] - body.rest[v - 1]);
      const Vec3<Real> d = cast<Real>((body.start[v] - body.start[v - 1]) / l);
      set.rest[set.place(strand, row)] = {d.x, d.y, d.z, static_cast<Real>(l)};
    }
  }
  if (!(set.shape_frequency > 0)) return set;
  // A strand's place among the roots of its group, which stand like a row of particles.
  const auto upright_place = [&](int strand) {
    const int group = strand / kLanes;
    return static_cast<int32_t>(group * kLanes + set.place(strand, 0) - int64_t{group} * kLanes * set.rows);
  };
  const auto strand_of = [&](int32_t particle) {  // by its root, in the user's numbering
    const int v = particle - body.first_particle;
    return v >= 0 && v < body.vertices() && v % set.rows == 0 ? v / set.rows : -1;
  };
  for (std::size_t r = 0; r < input.riders.size(); ++r) {
    const int strand = strand_of(input.riders[r].particle);
    if (strand >= 0) set.riders.emplace_back(static_cast<int32_t>(r), upright_place(strand));
  }
  for (std::size_t p = 0; p < model.pins.size(); ++p) {
    for (int32_t particle : model.pins[p].particles) {
      const int strand = strand_of(model.to_user[particle]);
      if (strand >= 0) set.pins.emplace_back(static_cast<int32_t>(p), upright_place(strand));
    }
  }
  return set;
}

template void Solver<float>::follow_leaders();
template void Solver<float>::push_leaders();
template StrandSet<float> build_strands(const ModelInput&, const BodyInput&, const Model<float>&);
template void Solver<double>::follow_leaders();
template void Solver<double>::push_leaders();
template StrandSet<double> build_strands(const ModelInput&, const BodyInput&, const Model<double>&);

}  // namespace pliant
