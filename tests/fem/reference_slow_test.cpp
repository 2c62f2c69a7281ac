// The larger bodies of reference_comparison.h.

#include "fem/reference_comparison.h"

namespace pliant::fem {
namespace {

TEST(Reference, Cube) { compare("cube", 108, 72); }
TEST(Reference, Cantilever) { compare("cantilever", 72, 48); }
TEST(Reference, Torsion) { compare("torsion", 24, 16); }

}  // namespace
}  // namespace pliant::fem
