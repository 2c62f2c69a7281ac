#pragma once
// How far each kernel is from what the machine could do: the operations of a projection, counted, and the bytes that it
// streams, against the machine's measured rates of arithmetic and of memory.

#include <string>

#include "report.h"

namespace pliant::bench {

/// Prints a table of the measured rows constraint/NAME and writes a picture of it, and of the cost per tet against the
/// number of tets where rows scene/block_N_tets were measured, by gnuplot. Throws Error where gnuplot is missing.
void write_roofline(const Report& report, const std::string& svg_path);

}  // namespace pliant::bench
