# Headers that are parsed once for all files of a target: without them that is a third of the time of a build. Sources
# include what they use all the same (-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON, as the preset debug has it, shows what is
# missing). Only headers that rarely change, and in angle brackets: then a compiler cache knows them in every checkout.
function(pliant_precompile target)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  list(LENGTH sources count)
  if(count GREATER 4)
    target_precompile_headers(${target} PRIVATE <algorithm> <array> <atomic> <cmath> <cstdint> <functional> <map>
      <memory> <numeric> <optional> <random> <span> <string> <string_view> <utility> <vector> ${ARGN})
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      target_compile_options(${target} PRIVATE -fpch-preprocess)  # asked for by ccache
    endif()
  endif()
endfunction()
