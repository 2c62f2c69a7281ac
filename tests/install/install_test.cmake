# The test `install`: see run.cmake.
add_test(NAME install
  COMMAND ${CMAKE_COMMAND}
    -DBUILD=${PROJECT_BINARY_DIR}
    -DSOURCE=${PROJECT_SOURCE_DIR}
    -DWORK=${CMAKE_CURRENT_BINARY_DIR}/install
    -DGENERATOR=${CMAKE_GENERATOR}
    -DCOMPILER=${CMAKE_CXX_COMPILER}
    -DCONFIG=$<CONFIG>
    -P ${CMAKE_CURRENT_LIST_DIR}/run.cmake)
set_tests_properties(install PROPERTIES LABELS slow TIMEOUT 600)
