// The larger bodies of reference_comparison.h.

#include "fem/reference_comparison.h"

namespace pliant::fem {
namespace {

TEST(Reference, Cube) { compare("cube", 108); }
TEST(Reference, Cantilever) { compare("cantilever", 72); }
TEST(Reference, Torsion) { compare("torsion", 24); }

}  // namespace
}  // namespace pliant::fem
