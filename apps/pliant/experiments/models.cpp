#include "experiments/models.h"

#include <algorithm>
#include <filesystem>

#include "io/mesh_reader.h"

namespace pliant::experiments {

std::optional<TetMesh> armadillo(const Context& context, double height, Report& report) {
  const std::string& folder = context.settings().models;
  const std::string path = folder + "/armadillo_4k.ele";
  if (folder.empty() || !std::filesystem::exists(path)) {
    report.notes.push_back(folder.empty() ? "No folder with models was given (--models DIR or PLIANT_MODELS), so a "
                                            "generated body stands in for the armadillo."
                                          : path + " is not there, so a generated body stands in for the armadillo.");
    return {};
  }
  TetMesh mesh = read_tet_mesh(path);
  repair(mesh, path);
  Vec3d low = mesh.positions[0], high = low;
  for (const Vec3d& x : mesh.positions) {
    for (int axis = 0; axis < 3; ++axis) {
      low[axis] = std::min(low[axis], x[axis]);
      high[axis] = std::max(high[axis], x[axis]);
    }
  }
  const double scale = height / (high.y - low.y);
  for (Vec3d& x : mesh.positions) x = (x - (low + high) * 0.5) * scale;
  return mesh;
}

}  // namespace pliant::experiments
