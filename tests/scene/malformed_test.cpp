// Every mistake in a scene becomes a pliant::Error that names the file, the field and a remedy.
#include <gtest/gtest.h>

#include <iostream>

#include "pliant/error.h"
#include "pliant/scene.h"
#include "scene/json_text.h"
#include "scene/schema_check.h"
#include "scene/temporary_folder.h"
#include "test_paths.h"

namespace pliant::test {
namespace {

using nlohmann::json;

struct Malformed {
  const char* name;
  const char* text;     // of the scene; FLAG stands for a good body named "flag"
  const char* field;    // the message's place must have this
  const char* problem;  // ... its explanation this
  const char* remedy;   // ... and its remedy this
  // Mistakes of form are also refused by the schema; what needs other fields or files is not.
  bool schema_refuses = true;
};

constexpr const char* kFlag = R"({"name": "flag", "kind": "cloth", "shape": {"grid": {"cells": [4, 3]}}})";

const Malformed kMalformed[] = {
    // the text
    {"Empty", "", "line 1, column 1", "syntax error", "correct", false},
    {"NotJson", "{\n  \"frames\": oops\n}", "line 2, column 13", "invalid literal", "correct", false},
    {"MissingBrace", "{\n \"title\": \"a\"\n", "line 3", "syntax error", "correct", false},
    {"TrailingComma", "{\"bodies\": [],}", "line 1, column 15", "syntax error", "correct", false},
    {"NumberTooLarge", "{\"bodies\": [FLAG],\n \"frames\": 1e999}", "line 2, column 16", "1e999", "correct", false},
    {"BareNan", R"({"bodies": [FLAG], "gravity": [0, NaN, 0]})", "line 1", "invalid literal", "correct", false},
    {"NotUtf8", "{\"title\": \"\xff\"}", "line 1", "UTF-8", "correct", false},
    {"GivenTwice", R"({"bodies": [FLAG, {"name": "a", "name": "b"}]})", "bodies[1].name", "twice", "keep one", false},
    {"NotAnObject", "[1, 2]", "", "not an object", "{...}"},
    // types
    {"TitleIsNumber", R"({"title": 3, "bodies": [FLAG]})", "title", "3 is not a text", "give a text"},
    {"EmptyTitle", R"({"title": "", "bodies": [FLAG]})", "title", "empty", "write something"},
    {"TextForNumber", R"({"bodies": [FLAG], "solver": {"step": "NaN"}})", "solver.step", "the text \"NaN\"", "number"},
    {"NullForNumber", R"({"bodies": [FLAG], "solver": {"step": null}})", "solver.step", "null is not", "number"},
    {"TrueForNumber", R"({"bodies": [FLAG], "solver": {"substeps": true}})", "solver.substeps", "true", "whole number"},
    {"ObjectForNumber", R"({"bodies": [FLAG], "solver": {"fps": {}}})", "solver.fps", "an object", "number"},
    {"HalfSubstep", R"({"bodies": [FLAG], "solver": {"substeps": 2.5}})", "solver.substeps", "2.5", "whole number"},
    {"VectorTooShort", R"({"bodies": [FLAG], "gravity": [0, -9.81]})", "gravity", "a list of 2", "a list of 3"},
    {"VectorWithText", R"({"bodies": [FLAG], "gravity": [0, "down", 0]})", "gravity[1]", "down", "number"},
    {"VectorWithNull", R"({"bodies": [FLAG], "gravity": [0, null, 0]})", "gravity[1]", "null", "number"},
    {"BodiesIsObject", R"({"bodies": FLAG})", "bodies", "an object", "a list of objects"},
    {"BodyIsText", R"({"bodies": ["flag"]})", "bodies[0]", "not an object", "{...}"},
    {"SolverIsList", R"({"bodies": [FLAG], "solver": []})", "solver", "not an object", "{...}"},
    {"BooleanIsNumber", R"({"bodies": [FLAG], "pins": [{"body": "flag", "select": {"all": 1}}]})", "pins[0].select.all",
     "1 is not", "true or false"},
    {"IncludeIsText", R"({"bodies": [FLAG], "include": "a.json"})", "include", "not a list", "a list"},
    // colliders
    {"ColliderWithoutShape", R"({"bodies": [FLAG], "colliders": [{"friction": 1}]})", "colliders[0]", "", ""},
    {"ColliderWithTwoShapes", R"({"bodies": [FLAG], "colliders": [{"plane": {}, "sphere": {}}]})", "colliders[0]", "",
     ""},
    {"ColliderFriction", R"({"bodies": [FLAG], "colliders": [{"plane": {}, "friction": -1}]})", "colliders[0].friction",
     "-1", "at least 0"},
    {"OpenSolidCollider", R"({"bodies": [FLAG], "colliders": [{"solid": {"grid": {}}}]})", "colliders[0].solid",
     "not closed", "two sides", false},
    {"ThickSurface", R"({"bodies": [FLAG], "colliders": [{"surface": {"grid": {}}, "thickness": 3}]})",
     "colliders[0].thickness", "mean edge", "smaller", false},
    {"StartsInside", R"({"bodies": [FLAG], "colliders": [{"sphere": {"radius": 9}, "start_inside": "refuse"}]})",
     "colliders[0].start_inside", "'flag'", "push", false},
    {"ColliderPath", R"({"bodies": [FLAG], "colliders": [{"plane": {}, "path": [{"time": 1}, {"time": 1}]}]})",
     "colliders[0].path[1].time", "1", "ascend", false},
    {"HeightsMissing",
     R"({"bodies": [FLAG], "colliders": [{"height_field": {"columns": 2, "rows": 2, "heights": [1]}}]})",
     "colliders[0].height_field.heights", "there are 1", "4", false},
    // ranges
    {"NoFrames", R"({"bodies": [FLAG], "frames": 0})", "frames", "0 is out of range", "at least 1"},
    {"TooManyFrames", R"({"bodies": [FLAG], "frames": 1e12})", "frames", "out of range", "at most 1000000"},
    {"NegativeStep", R"({"bodies": [FLAG], "solver": {"step": -0.01}})", "solver.step", "-0.01", "above 0 [s]"},
    {"ZeroSubsteps", R"({"bodies": [FLAG], "solver": {"substeps": 0}})", "solver.substeps", "0 is", "at least 1"},
    {"TooManyThreads", R"({"bodies": [FLAG], "solver": {"threads": 1000000}})", "solver.threads", "1000000",
     "at most 1024"},
    {"NegativeDamping", R"({"bodies": [FLAG], "solver": {"damping": {"point": -1}}})", "solver.damping.point", "-1",
     "at least 0"},
    {"HugeNumber", R"({"bodies": [FLAG], "gravity": [0, -1e300, 0]})", "gravity[1]", "too large", "at most 3e+38",
     false},
    {"NegativeDensity", R"({"bodies": [{"name": "a", "kind": "cloth", "shape": {"grid": {}}, "density": -3}]})",
     "bodies[0].density", "-3", "above 0 [kg"},
    {"ZeroDensity", R"({"bodies": [{"name": "a", "kind": "cloth", "shape": {"grid": {}}, "density": 0}]})",
     "bodies[0].density", "0 is", "above 0"},
    {"ZeroScale",
     R"({"bodies": [{"name": "a", "kind": "cloth", "shape": {"grid": {}}, "place": {"scale": [1, 0, 1]}}]})",
     "bodies[0].place.scale[1]", "0 is", "above 0"},
    {"NegativeSize", R"({"bodies": [{"name": "a", "kind": "cloth", "shape": {"grid": {"size": [1, -2]}}}]})",
     "bodies[0].shape.grid.size[1]", "-2", "above 0"},
    {"NoCells", R"({"bodies": [{"name": "a", "kind": "solid", "shape": {"box": {"cells": [2, 0, 2]}}}]})",
     "bodies[0].shape.box.cells[1]", "0 is", "at least 1"},
    {"StiffnessAboveOne",
     R"({"bodies": [{"name": "a", "kind": "cloth", "shape": {"grid": {}}, "constraints": {"distance": {"stiffness": 1.5}}}]})",
     "bodies[0].constraints.distance.stiffness", "1.5", "at most 1"},
    {"NegativeCompliance",
     R"({"bodies": [{"name": "a", "kind": "cloth", "shape": {"grid": {}}, "constraints": {"bend": {"compliance": -1}}}]})",
     "bodies[0].constraints.bend.compliance", "-1", "at least 0"},
    {"NegativeTime",
     R"({"bodies": [FLAG], "pins": [{"body": "flag", "select": {"all": true}, "path": [{"time": -1}]}]})",
     "pins[0].path[0].time", "-1", "at least 0 [s]"},
    {"HidesNobody", R"({"bodies": [FLAG], "camera": {"eye": [1, 1, 1], "target": [0, 0, 0], "hide": ["flagg"]}})",
     "camera.hide[0]", "no body 'flagg'", "flag", false},
    {"FabricWithoutTexture",
     R"({"bodies": [{"name": "a", "kind": "cloth", "shape": {"grid": {}}, "fabric": {"weft_from_texture": true}}]})",
     "bodies[0].fabric.weft_from_texture", "no texture coordinates", "vt", false},
    {"FabricThatFoldsAndFlows",
     R"({"bodies": [{"name": "a", "kind": "cloth", "shape": {"grid": {}}, "fabric": {"compression": "folds", "plasticity": {"yield": 0.1}}}]})",
     "bodies[0].fabric.plasticity", "resists compression", "leave it out", false},
    // names
    {"UnknownField", R"({"bodies": [FLAG], "fames": 3})", "fames", "there is no field 'fames'", "frames"},
    {"UnknownSolverField", R"({"bodies": [FLAG], "solver": {"substep": 3}})", "solver.substep", "no field", "substeps"},
    {"MisspeltRequired", R"({"bodies": [{"nam": "a", "kind": "cloth", "shape": {"grid": {}}}]})", "bodies[0].nam",
     "no field 'nam'", "name"},
    {"UnknownShape", R"({"bodies": [{"name": "a", "kind": "cloth", "shape": {"spere": {}}}]})", "bodies[0].shape.spere",
     "no shape 'spere'", "sphere"},
    {"UnknownConstraint",
     R"({"bodies": [{"name": "a", "kind": "cloth", "shape": {"grid": {}}, "constraints": {"bending": {}}}]})",
     "bodies[0].constraints.bending", "no constraint 'bending'", "bend"},
    {"UnknownConstraintField",
     R"({"bodies": [{"name": "a", "kind": "cloth", "shape": {"grid": {}}, "constraints": {"bend": {"stifness": 1}}}]})",
     "bodies[0].constraints.bend.stifness", "no field", "stiffness"},
    {"PressureOfEdges",
     R"({"bodies": [{"name": "a", "kind": "cloth", "shape": {"grid": {}}, "constraints": {"distance": {"pressure": 2}}}]})",
     "bodies[0].constraints.distance.pressure", "no field 'pressure'", "compliance"},
    {"AttachmentAsConstraint",
     R"({"bodies": [{"name": "a", "kind": "cloth", "shape": {"grid": {}}, "constraints": {"attach_point": {}}}]})",
     "bodies[0].constraints.attach_point", "does not belong here", "attachments"},
    {"BadKind", R"({"bodies": [{"name": "a", "kind": "clth", "shape": {"grid": {}}}]})", "bodies[0].kind", "'clth'",
     "cloth"},
    {"BadMethod", R"({"bodies": [FLAG], "solver": {"method": "newton"}})", "solver.method", "'newton'", "xpbd"},
    {"BadPrecision", R"({"bodies": [FLAG], "solver": {"precision": 64}})", "solver.precision", "64 is not", "float64"},
    {"BadSplit", R"({"bodies": [{"name": "a", "kind": "solid", "shape": {"box": {"split": "seven"}}}]})",
     "bodies[0].shape.box.split", "'seven'", "six"},
    {"ConstraintIsNumber",
     R"({"bodies": [{"name": "a", "kind": "cloth", "shape": {"grid": {}}, "constraints": {"bend": 3}}]})",
     "bodies[0].constraints.bend", "3 is not", "true, false or null"},
    // what is there and what is not
    {"NoBodies", R"({"title": "nothing"})", "bodies", "no body", "add one", false},
    {"EmptyBodies", R"({"bodies": []})", "bodies", "no body", "add one", false},
    {"NoName", R"({"bodies": [{"kind": "cloth", "shape": {"grid": {}}}]})", "bodies[0].name", "missing", "add it"},
    {"NoKind", R"({"bodies": [{"name": "a", "shape": {"grid": {}}}]})", "bodies[0].kind", "missing", "add it"},
    {"NoShape", R"({"bodies": [{"name": "a", "kind": "cloth"}]})", "bodies[0].shape", "missing", "add it"},
    {"EmptyShape", R"({"bodies": [{"name": "a", "kind": "cloth", "shape": {}}]})", "bodies[0].shape",
     "choice is missing", "grid, sphere"},
    {"TwoShapes", R"({"bodies": [{"name": "a", "kind": "cloth", "shape": {"grid": {}, "sphere": {}}}]})",
     "bodies[0].shape", "'grid' and 'sphere'", "one of them"},
    {"StepAndFps", R"({"bodies": [FLAG], "solver": {"step": 0.01, "fps": 60}})", "solver", "'step' and 'fps'",
     "one of them"},
    {"DuplicateName", R"({"bodies": [FLAG, FLAG]})", "bodies[1].name", "another body", "its own name", false},
    {"NameOfACopy",
     R"({"bodies": [{"name": "a", "kind": "cloth", "shape": {"grid": {}}, "copies": {"count": [2, 1, 1]}},
                    {"name": "a.1", "kind": "cloth", "shape": {"grid": {}}}]})",
     "bodies[1].name", "another body", "its own name", false},
    // shapes that do not suit
    {"RopeFromGrid", R"({"bodies": [{"name": "a", "kind": "rope", "shape": {"grid": {}}}]})", "bodies[0].shape.grid",
     "a rope cannot be made from 'grid'", "rope or file", false},
    {"SolidFromGrid", R"({"bodies": [{"name": "a", "kind": "solid", "shape": {"grid": {}}}]})", "bodies[0].shape.grid",
     "a solid cannot", "sphere, torus", false},
    {"ClothWithCells", R"({"bodies": [{"name": "a", "kind": "cloth", "shape": {"sphere": {"cells": 8}}}]})",
     "bodies[0].shape.sphere.cells", "does not have this", "subdivisions", false},
    {"SolidWithSubdivisions",
     R"({"bodies": [{"name": "a", "kind": "solid", "shape": {"sphere": {"subdivisions": 2}}}]})",
     "bodies[0].shape.sphere.subdivisions", "does not have this", "cells", false},
    {"ClothWithSplit", R"({"bodies": [{"name": "a", "kind": "cloth", "shape": {"box": {"split": "six"}}}]})",
     "bodies[0].shape.box.split", "does not have this", "remove", false},
    {"SelfTouchingTorus",
     R"({"bodies": [{"name": "a", "kind": "cloth", "shape": {"torus": {"radius": 0.1, "tube_radius": 0.2}}}]})",
     "bodies[0].shape.torus.tube_radius", "0.2", "thinner tube", false},
    {"RopeWithoutLength",
     R"({"bodies": [{"name": "a", "kind": "rope", "shape": {"rope": {"from": [0, 1, 0], "to": [0, 1, 0]}}}]})",
     "bodies[0].shape.rope.to", "same point", "different", false},
    {"BillionCells", R"({"bodies": [{"name": "a", "kind": "solid", "shape": {"box": {"cells": [1000, 1000, 1000]}}}]})",
     "bodies[0].shape.box", "1003003001 vertices, above the limit of 20000000", "fewer cells", false},
    {"BillionSquares", R"({"bodies": [{"name": "a", "kind": "cloth", "shape": {"grid": {"cells": [1000000000, 1]}}}]})",
     "bodies[0].shape.grid", "above the limit", "fewer cells", false},
    {"BillionSegments", R"({"bodies": [{"name": "a", "kind": "rope", "shape": {"rope": {"segments": 2000000000}}}]})",
     "bodies[0].shape.rope", "above the limit", "segments", false},
    {"MillionCopies",
     R"({"bodies": [{"name": "a", "kind": "cloth", "shape": {"grid": {}}, "copies": {"count": [1000, 1000, 1]}}]})",
     "bodies[0].shape.grid", "above the limit", "copies", false},
    {"CellsBeyondInt", R"({"bodies": [{"name": "a", "kind": "rope", "shape": {"rope": {"segments": 1e12}}}]})",
     "bodies[0].shape.rope.segments", "out of range", "whole number", false},
    {"TooManySubdivisions",
     R"({"bodies": [{"name": "a", "kind": "cloth", "shape": {"sphere": {"subdivisions": 30}}}]})",
     "bodies[0].shape.sphere.subdivisions", "30", "at most"},
    {"OpenBalloon",
     R"({"bodies": [{"name": "a", "kind": "cloth", "shape": {"grid": {}}, "constraints": {"balloon": {}}}]})",
     "bodies[0].constraints.balloon", "not closed", "closed surface", false},
    {"TetsOfCloth",
     R"({"bodies": [{"name": "a", "kind": "cloth", "shape": {"grid": {}}, "constraints": {"tet_volume": {}}}]})",
     "bodies[0].constraints.tet_volume", "no tets", "", false},
    // mesh files
    {"MissingMesh", R"({"bodies": [{"name": "a", "kind": "cloth", "shape": {"file": "none.obj"}}]})",
     "bodies[0].shape.file", "", "", false},
    {"EmptyMesh", R"({"bodies": [{"name": "a", "kind": "cloth", "shape": {"file": "empty.obj"}}]})",
     "bodies[0].shape.file", "", "", false},
    {"IndexOutOfRange", R"({"bodies": [{"name": "a", "kind": "cloth", "shape": {"file": "beyond.obj"}}]})",
     "bodies[0].shape.file", "", "", false},
    {"RepeatedVertex", R"({"bodies": [{"name": "a", "kind": "cloth", "shape": {"file": "repeated.obj"}}]})",
     "bodies[0].shape.file", "", "", false},
    {"DuplicateVertex", R"({"bodies": [{"name": "a", "kind": "cloth", "shape": {"file": "same_place.obj"}}]})",
     "bodies[0].shape.file", "", "", false},
    {"FlatTet", R"({"bodies": [{"name": "a", "kind": "solid", "shape": {"file": "flat.node"}}]})",
     "bodies[0].shape.file", "volume", "", false},
    {"SurfaceForSolid", R"({"bodies": [{"name": "a", "kind": "solid", "shape": {"file": "triangle.obj"}}]})",
     "bodies[0].shape.file", "", "", false},
    {"UnknownMeshFormat", R"({"bodies": [{"name": "a", "kind": "cloth", "shape": {"file": "mesh.xyz"}}]})",
     "bodies[0].shape.file", "", "", false},
    // pins
    {"PinOfNobody", R"({"bodies": [FLAG], "pins": [{"body": "flg", "select": {"all": true}}]})", "pins[0].body",
     "no body 'flg'", "flag", false},
    {"PinWithoutBody", R"({"bodies": [FLAG], "pins": [{"select": {"all": true}}]})", "pins[0].body", "missing",
     "add it"},
    {"PinWithoutSelection", R"({"bodies": [FLAG], "pins": [{"body": "flag"}]})", "pins[0].select", "missing", "add it"},
    {"EmptySelection", R"({"bodies": [FLAG], "pins": [{"body": "flag", "select": {}}]})", "pins[0].select",
     "choice is missing", "vertices, box"},
    {"SelectsNothing",
     R"({"bodies": [FLAG], "pins": [{"body": "flag", "select": {"sphere": {"center": [9, 9, 9], "radius": 1}}}]})",
     "pins[0].select", "no vertex of 'flag'", "from [-0.5, 0, -0.5] to [0.5, 0, 0.5]", false},
    {"SelectsNoVertices", R"({"bodies": [FLAG], "pins": [{"body": "flag", "select": {"vertices": []}}]})",
     "pins[0].select", "no vertex", "reaches", false},
    {"AllFalse", R"({"bodies": [FLAG], "pins": [{"body": "flag", "select": {"all": false}}]})", "pins[0].select.all",
     "selects nothing", "write true", false},
    {"VertexOutOfRange", R"({"bodies": [FLAG], "pins": [{"body": "flag", "select": {"vertices": [0, 20]}}]})",
     "pins[0].select.vertices[1]", "no vertex 20", "0 to 19", false},
    {"VertexBeforeFirst", R"({"bodies": [FLAG], "pins": [{"body": "flag", "select": {"vertices": [-21]}}]})",
     "pins[0].select.vertices[0]", "no vertex -21", "-1 for the last", false},
    {"BoxInsideOut",
     R"({"bodies": [FLAG], "pins": [{"body": "flag", "select": {"box": {"min": [0, 1, 0], "max": [1, 0, 1]}}}]})",
     "pins[0].select.box", "min[1] = 1 is above", "swap", false},
    {"NormalZero",
     R"({"bodies": [FLAG], "pins": [{"body": "flag", "select": {"plane": {"point": [0, 0, 0], "normal": [0, 0, 0]}}}]})",
     "pins[0].select.plane.normal", "no direction", "[0, 1, 0]", false},
    {"PinnedTwice",
     R"({"bodies": [FLAG], "pins": [{"body": "flag", "select": {"vertices": [3]}}, {"body": "flag", "select": {"all": true}}]})",
     "pins[1].select", "vertex 3 of 'flag' is pinned already", "once", false},
    {"KeyframesNotAscending",
     R"({"bodies": [FLAG], "pins": [{"body": "flag", "select": {"all": true}, "path": [{"time": 1}, {"time": 0.5}]}]})",
     "pins[0].path[1].time", "0.5 does not come after 1", "ascending", false},
    {"KeyframeWithoutTime",
     R"({"bodies": [FLAG], "pins": [{"body": "flag", "select": {"all": true}, "path": [{"move": [1, 0, 0]}]}]})",
     "pins[0].path[0].time", "missing", "add it"},
    // attachments
    {"AttachedToItself",
     R"({"bodies": [FLAG], "attachments": [{"body": "flag", "vertex": 0, "to": {"body": "flag"}}]})",
     "attachments[0].to.body", "itself", "another body", false},
    {"AttachedToOwnCopy",
     R"({"bodies": [{"name": "a", "kind": "cloth", "shape": {"grid": {}}, "copies": {"count": [2, 1, 1]}}],
         "attachments": [{"body": "a", "vertex": 0, "to": {"body": "a.1"}}]})",
     "attachments[0].to.body", "itself", "another body", false},
    {"AttachedToNobody",
     R"({"bodies": [FLAG], "attachments": [{"body": "flag", "vertex": 0, "to": {"body": "pole"}}]})",
     "attachments[0].to.body", "no body 'pole'", "flag", false},
    {"AttachedToNothing", R"({"bodies": [FLAG], "attachments": [{"body": "flag", "vertex": 0, "to": {}}]})",
     "attachments[0].to", "choice is missing", "point, body"},
    {"AttachedTwice",
     R"({"bodies": [FLAG], "attachments": [{"body": "flag", "vertex": 0, "to": {"point": [0, 0, 0], "body": "flag"}}]})",
     "attachments[0].to", "exclude each other", "one of them"},
    {"AttachesNothing", R"({"bodies": [FLAG], "attachments": [{"body": "flag", "to": {"point": [0, 0, 0]}}]})",
     "attachments[0]", "choice is missing", "vertex, select"},
    {"AttachedVertexOutOfRange",
     R"({"bodies": [FLAG], "attachments": [{"body": "flag", "vertex": 100, "to": {"point": [0, 0, 0]}}]})",
     "attachments[0].vertex", "no vertex 100", "0 to 19", false},
    {"AttachmentTooStiff",
     R"({"bodies": [FLAG], "attachments": [{"body": "flag", "vertex": 1, "to": {"point": [0, 0, 0]}, "stiffness": 2}]})",
     "attachments[0].stiffness", "2 is", "at most 1"},
    {"UnequalCopies",
     R"({"bodies": [{"name": "a", "kind": "cloth", "shape": {"grid": {}}, "copies": {"count": [2, 1, 1]}},
                    {"name": "b", "kind": "cloth", "shape": {"grid": {}}, "copies": {"count": [3, 1, 1]}}],
         "attachments": [{"body": "a", "vertex": 0, "to": {"body": "b"}}]})",
     "attachments[0].to.body", "2 copies cannot be paired with 3", "single body", false},
    // includes
    {"MissingInclude", R"({"bodies": [FLAG], "include": ["none.json"]})", "include[0]", "", "", false},
    {"IncludesItself", R"({"bodies": [FLAG], "include": ["scene.json"]})", "include[0]", "include each other",
     "remove one", false},
};

class MalformedScene : public testing::TestWithParam<Malformed> {
 protected:
  void SetUp() override {
    folder.write("empty.obj", "# nothing\n");
    folder.write("triangle.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    folder.write("beyond.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n");
    folder.write("repeated.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 2\n");
    folder.write("same_place.obj", "v 0 0 0\nv 1 0 0\nv 1 0 0\nf 1 2 3\n");
    folder.write("mesh.xyz", "0 0 0\n");
    folder.write("flat.node", "4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 1 1 0\n");
    folder.write("flat.ele", "1 4 0\n0 0 1 2 3\n");
  }
  static std::string text_of(const Malformed& malformed) {
    std::string text = malformed.text;
    for (size_t at; (at = text.find("FLAG")) != std::string::npos;) text.replace(at, 4, kFlag);
    return text;
  }
  TemporaryFolder folder;
};

TEST_P(MalformedScene, NamesFileFieldAndRemedy) {
  const Malformed& malformed = GetParam();
  const std::string path = folder.write("scene.json", text_of(malformed));
  try {
    load_scene(path);
    FAIL() << "was accepted";
  } catch (const Error& error) {
    const std::string where = error.where();
    EXPECT_TRUE(where.starts_with(path)) << error.what();
    // The field stands right behind the file, up to its end or to what is known further inside.
    const std::string place = path + (*malformed.field ? std::string(": ") + malformed.field : "");
    EXPECT_TRUE(where.starts_with(place)) << error.what();
    EXPECT_TRUE(where.size() == place.size() || where[place.size()] == ':' || where[place.size()] == ',')
        << error.what();
    EXPECT_NE(error.problem().find(malformed.problem), std::string::npos) << error.what();
    EXPECT_NE(error.remedy().find(malformed.remedy), std::string::npos) << error.what();
    EXPECT_FALSE(error.problem().empty());
    EXPECT_FALSE(error.remedy().empty()) << error.what();
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << "one line: " << error.what();
  }
}

TEST_P(MalformedScene, IsRefusedByTheSchemaWhereItCan) {
  const Malformed& malformed = GetParam();
  if (!malformed.schema_refuses) return;
  const json schema = json::parse(scene_schema());
  EXPECT_FALSE(schema_errors(json::parse(text_of(malformed)), schema, schema).empty());
}

INSTANTIATE_TEST_SUITE_P(Table, MalformedScene, testing::ValuesIn(kMalformed),
                         [](const testing::TestParamInfo<Malformed>& info) { return std::string(info.param.name); });

TEST(MalformedSceneFile, MissingFile) {
  try {
    load_scene("there_is_no_such_scene.json");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.where(), "there_is_no_such_scene.json");
    EXPECT_FALSE(error.remedy().empty()) << error.what();
  }
}

TEST(MalformedSceneFile, IsAFolder) {
  const TemporaryFolder folder;
  EXPECT_THROW(load_scene(folder.path()), Error);
}

// The flag itself must be fine, or every entry above would prove nothing.
TEST(MalformedSceneFile, GoodOneIsAccepted) {
  const Scene scene = parse_scene(std::string(R"({"bodies": [)") + kFlag + "]}", "scene.json");
  EXPECT_EQ(scene.world.body_count(), 1);
  EXPECT_EQ(scene.world.vertex_count(BodyId{0}), 20);
  EXPECT_TRUE(scene.warnings.empty());
}

// Any cut of a good scene is a mistake, and none of them is worse than that.
TEST(MalformedSceneFile, TruncatedAtEveryByte) {
  const std::string text = read_text(PLIANT_SOURCE_DIR "/scenes/attach_tet.json");
  const size_t end = text.find_last_of('}');
  for (size_t length = 0; length <= end; ++length) {
    EXPECT_THROW(parse_scene(text.substr(0, length), "cut.json"), Error) << length;
  }
}

TEST(MalformedSceneFile, DeepNesting) {
  EXPECT_THROW(parse_scene(std::string(1000000, '['), "deep.json"), Error);
  EXPECT_THROW(parse_scene("{\"bodies\": " + std::string(100000, '[') + std::string(100000, ']') + "}", "deep.json"),
               Error);
}

}  // namespace
}  // namespace pliant::test
