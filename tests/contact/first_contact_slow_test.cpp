// A million pairs with known answers: none missed, false hits below 1 %.

#include "wrong_answers.h"

namespace pliant::test {
namespace {

TEST(FirstContactMillion, VertexTriangleInDouble) { expect_right<1, double>(240000, 10000); }
TEST(FirstContactMillion, VertexTriangleInFloat) { expect_right<1, float>(240000, 10000); }
TEST(FirstContactMillion, EdgeEdgeInDouble) { expect_right<2, double>(240000, 10000); }
TEST(FirstContactMillion, EdgeEdgeInFloat) { expect_right<2, float>(240000, 10000); }

}  // namespace
}  // namespace pliant::test
