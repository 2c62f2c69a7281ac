# Installs into a fresh prefix, builds the program of this folder against it with find_package, runs
# it and looks at what it wrote. Run by the test `install`.

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    string(JOIN " " command ${ARGN})
    message(FATAL_ERROR "failed (${result}): ${command}\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK}/run)
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix --config ${CONFIG})

# Only the prefix is searched first: the package must not be found in the build tree by chance.
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${WORK}/build -G ${GENERATOR}
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_BUILD_TYPE=${CONFIG} -DCMAKE_PREFIX_PATH=${WORK}/prefix
    -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF)
file(STRINGS ${WORK}/build/CMakeCache.txt found REGEX "^pliant_DIR:")
if(NOT found MATCHES "${WORK}/prefix/")
  message(FATAL_ERROR "find_package found another pliant: ${found}")
endif()
run(${CMAKE_COMMAND} --build ${WORK}/build)

# The program writes into its working folder.
run(${CMAKE_COMMAND} -E chdir ${WORK}/run ${WORK}/build/consumer)
file(GLOB frames ${WORK}/run/cloth.*.obj)
list(LENGTH frames count)
if(NOT count EQUAL 60)
  message(FATAL_ERROR "the program should have written 60 frames, cloth.0000.obj and so on, and wrote ${count}: ${frames}")
endif()
# The cloth hangs by two corners of one edge. Its far corners, 1 m away, swing through the lowest point
# about 0.6 s after the start (a quarter of a pendulum's period), which is frame 35.
list(SORT frames)
list(GET frames 35 last)
file(STRINGS ${last} vertices REGEX "^v ")
list(LENGTH vertices count)
if(NOT count EQUAL 1681)
  message(FATAL_ERROR "${last} should have 41 * 41 = 1681 vertices and has ${count}")
endif()
list(GET vertices 0 pinned)
list(GET vertices 1680 free)
if(NOT pinned MATCHES "^v -0\\.50* (-?0\\.?0*) -0\\.50*$")
  message(FATAL_ERROR "the pinned corner of ${last} should be at (-0.5, 0, -0.5): ${pinned}")
endif()
if(NOT free MATCHES "^v [^ ]+ -([0-9.]+)")
  message(FATAL_ERROR "the free corner of ${last} should have fallen: ${free}")
endif()
if(CMAKE_MATCH_1 LESS 0.6 OR CMAKE_MATCH_1 GREATER 1.5)
  message(FATAL_ERROR "the free corner of ${last} should be between 0.6 and 1.5 m below: ${free}")
endif()

# The program of the README is this one, word for word.
if(EXISTS ${SOURCE}/README.md)
  file(READ ${SOURCE}/README.md readme)
  file(READ ${CMAKE_CURRENT_LIST_DIR}/main.cpp program)
  string(FIND "${readme}" "${program}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "README.md does not show tests/install/main.cpp word for word; paste it there")
  endif()
endif()
