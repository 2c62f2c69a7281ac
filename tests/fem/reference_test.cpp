// The small bodies of reference_comparison.h.

#include "fem/reference_comparison.h"

namespace pliant::fem {
namespace {

TEST(Reference, Uniaxial) { compare("uniaxial", 12); }
TEST(Reference, Stretch) { compare("stretch", 12); }
TEST(Reference, Shear) { compare("shear", 12); }

}  // namespace
}  // namespace pliant::fem
