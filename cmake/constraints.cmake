# Reads src/constraints/list.h and makes one source file per registered constraint type (in test builds a second one
# with the widths that the target does not use), so that registering a type is one line there and each type compiles by
# itself, in parallel.
set(PLIANT_CONSTRAINT_SOURCES "")
set(list_file ${PROJECT_SOURCE_DIR}/src/constraints/list.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list_file})
file(STRINGS ${list_file} lines REGEX "^PLIANT_CONSTRAINT\\(")
set(all_headers "// Made from src/constraints/list.h: every registered type.\n#pragma once\n")
foreach(line IN LISTS lines)
  if(NOT line MATCHES "^PLIANT_CONSTRAINT\\(([A-Za-z0-9_]+), *([A-Za-z0-9_]+), *\"([a-z_/.]+)\"\\)")
    message(FATAL_ERROR "src/constraints/list.h: cannot read '${line}'; write PLIANT_CONSTRAINT(name, Type, \"file.h\")")
  endif()
  set(name ${CMAKE_MATCH_1})
  set(type ${CMAKE_MATCH_2})
  set(header ${CMAKE_MATCH_3})
  string(APPEND all_headers "#include \"constraints/${header}\"\n")
  set(out ${PROJECT_BINARY_DIR}/constraints/${name}.cpp)
  file(CONFIGURE OUTPUT ${out} CONTENT
"// Made from src/constraints/list.h.
#include \"constraints/@header@\"

#include \"constraints/instantiate.h\"

namespace pliant {
const TypeInfo& type_@name@() {
  static const TypeInfo info = describe<@type@>(\"@name@\");
  return info;
}
}  // namespace pliant
" @ONLY)
  list(APPEND PLIANT_CONSTRAINT_SOURCES ${out})
  if(PLIANT_ALL_WIDTHS)
    set(out ${PROJECT_BINARY_DIR}/constraints/${name}_widths.cpp)
    file(CONFIGURE OUTPUT ${out} CONTENT
"// Made from src/constraints/list.h.
#include \"constraints/@header@\"

#include \"constraints/instantiate_widths.h\"

namespace pliant {
template void add_other_widths<@type@>(TypeInfo& info);
}  // namespace pliant
" @ONLY)
    set_source_files_properties(${out} PROPERTIES COMPILE_OPTIONS -O1)
    list(APPEND PLIANT_CONSTRAINT_SOURCES ${out})
  endif()
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/constraints/all.h CONTENT "${all_headers}" @ONLY)
