#include "materials/elastic_law.h"

namespace pliant {

ElasticLaw::ElasticLaw(const Material& material, const std::string& name) {
  validate(material, name);
  visit_model<double>(material,
                      [this]<class Model>(Model, const typename Model::template Constants<double>& constants) {
                        model_ = Bound<Model>{constants};
                      });
  for (const Fiber& fiber : material.fibers) fibers_.push_back(FiberModel::constants<double>(fiber));
}

double ElasticLaw::energy(const Mat3<double>& F) const {
  double sum = std::visit([&]<class M>(const M& m) { return M::Type::energy(m.constants, F); }, model_);
  for (const auto& fiber : fibers_) sum += FiberModel::energy(fiber, F);
  return sum;
}

Mat3<double> ElasticLaw::stress(const Mat3<double>& F) const {
  Mat3<double> sum = std::visit([&]<class M>(const M& m) { return M::Type::stress(m.constants, F); }, model_);
  for (const auto& fiber : fibers_) sum = sum + FiberModel::stress(fiber, F);
  return sum;
}

Tangent ElasticLaw::tangent(const Mat3<double>& F) const {
  return std::visit(
      [&]<class M>(const M& m) {
        return tangent_from([&](const Mat3<double>& dF) {
          Mat3<double> sum = M::Type::stress_change(m.constants, F, dF);
          for (const auto& fiber : fibers_) sum = sum + FiberModel::stress_change(fiber, F, dF);
          return sum;
        });
      },
      model_);
}

}  // namespace pliant
