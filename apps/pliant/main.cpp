// pliant: simulate scenes, check them, look at meshes.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <new>

#include "commands.h"
#include "pliant/error.h"
#include "pliant/world.h"

namespace {

const char* kExamples = R"(
Examples:
  pliant run scenes/demo.json -o out/demo.mp4      simulate, make a video
  pliant run scenes/demo.json -o out/demo.html     a page that plays the motion
  pliant run scene.json --frames 300 --stats s.json
  pliant check scene.json                          is it right, and what is in it?
  pliant info bunny.obj                            what is in this mesh?
  pliant mesh bunny.obj -o bunny.ele --tets 5000   fill a surface with tets
  pliant schema > scene.schema.json                for editors
  pliant experiment list                           figures of the literature, and how near we are
  pliant fit --young 1e4 --poisson 0.3             the stiffness of pbd that comes nearest to it

Exit codes: 0 all is well, 1 the simulation had trouble or an experiment is
outside of its bounds, 2 bad input, 130 interrupted.)";

}  // namespace

int main(int argc, char** argv) {
  using namespace pliant::app;
  CLI::App app("Pliant simulates deformable solids, cloth and ropes.", "pliant");
  app.set_version_flag("--version", std::string("pliant ") + pliant::version());
  app.footer(kExamples);
  app.require_subcommand(1);
  Action action;
  add_run(app, action);
  add_check(app, action);
  add_info(app, action);
  add_mesh(app, action);
  add_schema(app, action);
  add_experiment(app, action);
  add_fit(app, action);

  try {
    app.parse(argc, argv);
    return action();
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kOk : kBadInput;  // --help and --version arrive here, too
  } catch (const pliant::Error& error) {
    std::fprintf(stderr, "pliant: %s\n", error.what());
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "pliant: the memory does not suffice; use fewer cells or copies\n");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "pliant: %s\n", error.what());
  }
  return kBadInput;
}
