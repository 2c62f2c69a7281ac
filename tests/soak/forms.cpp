// script/soak forms: no type of constraint makes energy, alone or with others, whatever its strength.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <stdexcept>

#include "forms_case.h"
#include "ledger.h"
#include "runner.h"

namespace pliant::soak {

namespace {

constexpr int kCasesPerForm = 8;
constexpr double kWork = 1.2e8, kQuickWork = 3e5;

/// The table of docs/constraints/stability.md: a form's name -> the first word of what bounds it.
std::map<std::string, std::string> read_table(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error(path + " cannot be opened");
  std::map<std::string, std::string> out;
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("| `", 0) != 0) continue;
    std::vector<std::string> cells(1);
    for (const char c : line.substr(1)) {
      if (c == '|') {
        cells.emplace_back();
      } else if (c != '`' && !(c == ' ' && cells.back().empty())) {
        cells.back() += c;
      }
    }
    if (cells.size() < 3) continue;
    for (std::string& cell : cells) cell.erase(cell.find_last_not_of(' ') + 1);
    const std::string bound = cells[2].substr(0, cells[2].find_first_of(" ,:"));
    for (const char* method : {"xpbd", "pbd"}) {  // "pbd, xpbd" stands for both
      if ((", " + cells[1] + ",").find(std::string(" ") + method + ",") != std::string::npos) {
        out[cells[0] + ", " + method] = bound;
      }
    }
  }
  return out;
}

using Table = std::map<std::string, std::string>;

/// `table`: empty, or what is said of each form.
Verdict judge(const Options& options, const std::vector<Form>& forms, const Table& table, int index) {
  const Form& form = forms[index % forms.size()];
  Random random(options.seed, index);
  FormCase c = random_form(form, random, options.quick ? kQuickWork : kWork, options.quick ? 20 : 500);
  const bool details = options.only.has_value();
  Verdict verdict{form.name(), "", form.name() + ": " + c.line};
  if (details) std::printf("%s\n%5s %12s %12s %12s\n", c.line.c_str(), "step", "energy [J]", "had [J]", "gain");
  Ledger ledger(c.world, c.body, false, c.loose, c.size, c.stored);
  int first = -1;
  for (int step = 1; step <= c.steps; ++step) {
    c.world.step();
    if (step > 20 && step % 10 != 0) continue;
    ledger.look(c.world);
    if (first < 0 && !(ledger.relative_gain() <= 0.01)) first = step;
    if (details && (step <= 10 || step % (c.steps / 50) == 0)) {
      std::printf("%5d %12.4g %12.4g %12.4g\n", step, ledger.now(), ledger.had(), ledger.relative_gain());
    }
    if (!details && !(ledger.relative_gain() < 1e3)) break;
  }
  bool finite = true;
  for (const Trouble& t : c.world.troubles()) finite = finite && t.kind != Trouble::Kind::non_finite;
  if (!finite) verdict.symptom = "NaN";
  if (first >= 0) verdict.symptom += verdict.symptom.empty() ? "energy" : "+energy";
  // Where energy cannot be kept out, that has to be said beforehand.
  const std::vector<std::string> said = c.world.warnings();
  const auto line = table.find(form.name());
  const bool may = line == table.end() || line->second == "warning";
  const bool warned = !verdict.symptom.empty() && !said.empty();
  const bool open = line != table.end() && line->second == "open";
  if ((warned && may) || open) verdict.symptom.clear();
  if (details) {
    for (const std::string& s : said) std::printf("it said: %s\n", s.c_str());
  }
  verdict.description +=
      fmt::format("; gain {:.3g}{}", ledger.relative_gain(), first >= 0 ? fmt::format(" (from step {})", first) : "");
  return verdict;
}

}  // namespace

int forms(const Options& options) {
  std::vector<Form> forms;
  for (const Form& f : all_forms()) {
    if (options.only_group.empty() || f.name().find(options.only_group) != std::string::npos) forms.push_back(f);
  }
  Table table;
  if (!options.table.empty()) {
    // What is said of a form is what this soak finds: a form without a line is one that nobody looked at.
    table = read_table(options.table);
    std::string missing;
    for (const Form& f : all_forms()) {
      if (!table.contains(f.name())) missing += "\n  " + f.name();
    }
    if (!missing.empty()) throw std::runtime_error(options.table + " has no line for" + missing);
  }
  if (forms.empty()) throw std::runtime_error("there is no form '" + options.only_group + "'");
  const int count = static_cast<int>(forms.size()) * (options.counted ? options.count : kCasesPerForm);
  return run_cases("script/soak forms" + std::string(options.quick ? " --quick" : "") +
                       (options.only_group.empty() ? "" : " --form '" + options.only_group + "'"),
                   options, count, [&](int index) { return judge(options, forms, table, index); });
}

}  // namespace pliant::soak
