#include "bullet.h"

#include "pliant/error.h"

#ifdef PLIANT_BENCH_BULLET

#include <BulletSoftBody/btSoftBody.h>

#include <memory>
#include <vector>

#include "measure.h"
#include "mesh/topology.h"
#include "scene.h"

namespace pliant::bench {

bool has_bullet() { return true; }

namespace {

constexpr int kIterations = 100;
constexpr double kStep = 1.0 / 600;

Scene cloth_of_links() {
  const TriMesh mesh = cloth_mesh(200);
  Scene scene;
  scene.options.step = kStep;
  scene.options.substeps = 1;
  scene.options.iterations = kIterations;
  scene.options.gravity = {0, -9.81, 0};
  scene.bodies.push_back({mesh, {{"distance", {}}}, {0, 200}, with_waves(mesh.positions, 0.1, 0.05)});
  return scene;
}

struct BulletCloth {
  btSoftBodyWorldInfo info;
  std::unique_ptr<btSoftBody> body;
  std::vector<btSoftBody::Node> start;

  explicit BulletCloth(const Scene& scene) {
    const SceneBody& from = scene.bodies[0];
    const TriMesh& mesh = std::get<TriMesh>(from.mesh);
    std::vector<btVector3> at;
    for (const Vec3d& x : mesh.positions) at.emplace_back(btScalar(x.x), btScalar(x.y), btScalar(x.z));
    const std::vector<double> mass = lumped_masses(mesh.triangles, mesh.positions, 0.2);
    std::vector<btScalar> masses(mass.begin(), mass.end());
    for (const int pin : from.pins) masses[static_cast<std::size_t>(pin)] = 0;
    info.m_gravity = btVector3(0, btScalar(-9.81), 0);
    body = std::make_unique<btSoftBody>(&info, static_cast<int>(at.size()), at.data(), masses.data());
    body->m_cfg.piterations = kIterations;
    body->m_cfg.collisions = 0;
    for (const Edge& e : edges_of(mesh.triangles)) body->appendLink(e[0], e[1]);  // rest length: the distance now
    body->updateConstants();
    for (int v = 0; v < body->m_nodes.size(); ++v) {
      const Vec3d& x = from.start[static_cast<std::size_t>(v)];
      body->m_nodes[v].m_x = body->m_nodes[v].m_q = btVector3(btScalar(x.x), btScalar(x.y), btScalar(x.z));
      start.push_back(body->m_nodes[v]);
    }
  }
  void reset() {
    for (int v = 0; v < body->m_nodes.size(); ++v) body->m_nodes[v] = start[static_cast<std::size_t>(v)];
  }
  void step() {
    body->predictMotion(btScalar(kStep));
    body->solveConstraints();
    body->integrateMotion();
  }
  /// Mean of |length - rest length| / rest length.
  double stretch() const {
    double sum = 0;
    for (int l = 0; l < body->m_links.size(); ++l) {
      const btSoftBody::Link& link = body->m_links[l];
      sum += std::abs((link.m_n[0]->m_x - link.m_n[1]->m_x).length() / link.m_rl - 1);
    }
    return sum / body->m_links.size();
  }
};

}  // namespace

void run_against_bullet(benchmark::State& state, Row& row) {
  const Scene scene = cloth_of_links();
  World world = make_world(scene, 1);
  BulletCloth cloth(scene);
  const int64_t links = world.constraint_counts().at(0).constraints;
  if (links != cloth.body->m_links.size()) throw Error(row.name, "both do not have the same links", "report it");
  const double stretched = cloth.stretch();
  cloth.step();
  if (!(cloth.stretch() < 0.1 * stretched)) {
    throw Error(row.name, "Bullet does not shorten its links", "the comparison would mean nothing; report it");
  }
  const std::vector<std::byte> start = world.snapshot();
  world.step();
  row.hash = world.state_hash();
  const Contestant engine{[&] { world.restore(start); }, [&] { world.step(); }};
  const Contestant peer{[&] { cloth.reset(); }, [&] { cloth.step(); }};
  const Comparison times = compare_in_turn(
      {.engine = &engine, .baseline = &peer}, 1, [&] { return state.KeepRunning(); },
      [&](double seconds) { state.SetIterationTime(seconds); });
  const double projections = static_cast<double>(links) * kIterations;
  row.constraints = links;
  row.ns_per_constraint_iteration = 1e9 * times.seconds / projections;
  row.noise = times.noise;
  row.fastest_ns = 1e9 * times.fastest.seconds / projections;
  row.fastest_ratio = times.fastest.ratio;
  row.peer_ns = 1e9 * *times.baseline_seconds / projections;
  row.peer_ratio = times.ratio;
}

}  // namespace pliant::bench

#else

namespace pliant::bench {

bool has_bullet() { return false; }
void run_against_bullet(benchmark::State&, Row& row) {
  throw Error(row.name, "this program was built without Bullet", "install libbullet-dev and build anew");
}

}  // namespace pliant::bench

#endif
