// script/soak: random cases by the hundred, judged by what can never be right.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "pliant/error.h"
#include "runner.h"

namespace pliant::soak {

namespace {

constexpr const char* kHelp =
    "script/soak defaults N   N random bodies with default settings, 300 steps each\n"
    "script/soak impact N     N random elastic solids that fall, spin, are thrown, squashed or inverted\n"
    "script/soak contact N    N scenes in which bodies touch, judged exactly after each of 90 frames\n"
    "script/soak forms [N]    every constraint type, pbd and xpbd, alone and in the usual pairs, N cases each\n"
    "\n"
    "  --form TEXT  forms: those only whose name contains it\n"
    "  --table FILE forms: fails unless this page has a line for each form\n"
    "  --seed S     another set of cases (1)\n"
    "  --case K     one case, told in detail\n"
    "  --scene FILE with --case: writes it as a scene\n"
    "  --jobs J     cases at once (all cores)\n"
    "  --list       tells of each case, not only of those that fail\n"
    "  --quick      small cases, in seconds\n"
    "\n"
    "A line for each case that fails, and a summary; exit code 1 if any does. docs/soak.md tells what is judged.\n";

uint64_t number(const std::string& option, const char* text) {
  char* end = nullptr;
  const unsigned long long value = text ? std::strtoull(text, &end, 10) : 0;
  if (!text || end == text || *end != '\0') {
    throw Error(option, text ? std::string("'") + text + "' is not a whole number" : "its value is missing",
                "give a whole number");
  }
  return value;
}

int main_with(int argc, char** argv) {
  const std::string command = argc > 1 ? argv[1] : "--help";
  if (command == "--help" || command == "-h") {
    std::fputs(kHelp, stdout);
    return argc > 1 ? 0 : 2;
  }
  Options options;
  for (int i = 2; i < argc; ++i) {
    const std::string a = argv[i];
    const char* value = i + 1 < argc ? argv[i + 1] : nullptr;
    if (a == "--quick") {
      options.quick = true;
    } else if (a == "--list") {
      options.list = true;
    } else if (a == "--seed") {
      options.seed = number(a, value), ++i;
    } else if (a == "--case") {
      options.only = static_cast<int>(number(a, value)), ++i;
    } else if (a == "--jobs") {
      options.jobs = static_cast<int>(number(a, value)), ++i;
    } else if (a == "--table" && value) {
      options.table = value, ++i;
    } else if (a == "--form" && value) {
      options.only_group = value, ++i;
    } else if (a == "--scene" && value) {
      options.scene = value, ++i;
    } else if (!options.counted && a[0] != '-') {
      options.count = static_cast<int>(number("N", argv[i])), options.counted = true;
    } else {
      throw Error(a, "there is no such option", "see script/soak --help");
    }
  }
  if (options.quick && !options.counted) options.count = 40;
  if (command == "forms") return forms(options);
  if (command == "defaults") return defaults(options);
  if (command == "impact") return impact(options);
  if (command == "contact") return contact(options);
  throw Error(command, "there is no such soak", "use defaults, forms, impact or contact");
}

}  // namespace

}  // namespace pliant::soak

int main(int argc, char** argv) {
  try {
    return pliant::soak::main_with(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "script/soak: %s\n", error.what());
    return 2;
  }
}
