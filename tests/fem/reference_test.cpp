// The small bodies of reference_comparison.h.

#include "fem/reference_comparison.h"

namespace pliant::fem {
namespace {

TEST(Reference, Uniaxial) { compare("uniaxial", 12, 8); }
TEST(Reference, Stretch) { compare("stretch", 12, 8); }
TEST(Reference, Shear) { compare("shear", 12, 8); }
TEST(Reference, HeldCube) { compare("held_cube", 72, 72); }

}  // namespace
}  // namespace pliant::fem
