"""Solves the validation cases with finite-element programs of others and keeps their answers.

    validate.py CASES OUTPUT_FOLDER

CASES is what pliant_reference_export wrote. One file per family of cases goes to OUTPUT_FOLDER, one case per line,
with the displacements of some vertices as each program gave them. Where two programs did the same case, the line
says how well they agree. Nothing of Pliant's own solver is used.
"""

import json
import os
import sys
import time

import numpy as np

import calculix_solver
import getfem_solver

# CalculiX prints seven digits, so two sound answers differ by up to about 1e-7 of the largest displacement.
AGREEMENT = 1e-6


def branch_checked(case):
    """GetFEM's answer, found twice with different load steps: large deformations can have more than one."""
    answers = []
    steps = case["load_steps"]
    while len(answers) < 2:
        if steps > 64 * case["load_steps"]:
            raise RuntimeError("GetFEM does not converge")
        try:
            answers.append(getfem_solver.solve(dict(case, load_steps=steps))[0])
        except getfem_solver.NotConverged:
            answers = []
        steps *= 2
        if case["model"] == "linear":
            return answers[0]
    difference = np.abs(answers[0] - answers[1]).max() / np.abs(answers[1]).max()
    if difference > 1e-9:
        raise RuntimeError("GetFEM's answer depends on the load steps: {:.1e}".format(difference))
    return answers[1]


def rounded(rows, digits):
    """Lists of numbers with that many significant digits; zeros of either sign become 0."""
    text = "{{:.{}g}}".format(digits)
    return "[" + ",".join("[" + ",".join(text.format(v + 0.0) for v in row) + "]" for row in rows) + "]"


def line(case, answers, agreement):
    """One case as one line of JSON."""
    sample = case["sample"]
    head = {key: case[key] for key in ("name", "fingerprint", "model", "young", "poisson", "density")}
    head["vertices"] = sample
    parts = [json.dumps(head)[:-1]]
    # Digits beyond a program's own would be noise: GetFEM iterates to about 1e-11.
    for program, digits in (("getfem", 11), ("calculix", 7)):
        if program in answers:
            parts.append('"{}": {}'.format(program, rounded(answers[program][sample], digits)))
    if agreement is not None:
        parts.append('"agreement": {:.1e}'.format(agreement))
    return ", ".join(parts) + "}"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    cases_file, folder = sys.argv[1:]
    with open(cases_file) as lines:
        cases = [json.loads(text) for text in lines]
    programs = {"getfem": "GetFEM " + getfem_solver.version(), "calculix": "CalculiX " + calculix_solver.version()}
    families, worst, began = {}, {}, time.time()
    for number, case in enumerate(cases, 1):
        if sys.stderr.isatty():
            print("\r\033[K{}/{} {}".format(number, len(cases), case["name"]), end="", file=sys.stderr, flush=True)
        try:
            answers = {"getfem": branch_checked(case)}
            agreement = None
            if case["model"] in calculix_solver.MODELS:
                answers["calculix"] = calculix_solver.solve(case)
                difference = np.abs(answers["getfem"] - answers["calculix"]).max()
                agreement = difference / np.abs(answers["getfem"]).max()
                worst[case["family"]] = max(worst.get(case["family"], 0), agreement)
                if agreement > AGREEMENT:
                    raise RuntimeError("GetFEM and CalculiX differ by {:.1e}".format(agreement))
        except RuntimeError as error:
            sys.exit("\nscript/validate: {}: {}".format(case["name"], error))
        families.setdefault(case["family"], []).append(line(case, answers, agreement))
    for family, lines in families.items():
        about = (
            "Displacements [m] of vertices of a solid of linear tets, by programs that are not part of Pliant, for "
            "the cases of tests/reference/cases.h. Written by script/validate. agreement: largest difference of the "
            "two programs over the largest displacement."
        )
        path = os.path.join(folder, family + ".json")
        with open(path + ".part", "w") as out:
            out.write('{{"about": {},\n"programs": {},\n"cases": [\n'.format(json.dumps(about), json.dumps(programs)))
            out.write(",\n".join(lines))
            out.write("\n]}\n")
        os.replace(path + ".part", path)
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    print("{} cases in {:.0f} s. GetFEM and CalculiX agree to:".format(len(cases), time.time() - began))
    for family, value in sorted(worst.items()):
        print("  {:<12} {:.1e}".format(family, value))


if __name__ == "__main__":
    main()
