# SPDX-License-Identifier: Apache-2.0
# One libFuzzer program per file of tests/fuzz, against the instrumented libraries.

file(GLOB fuzz_sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/tests/fuzz/*.cpp")
foreach(source IN LISTS fuzz_sources)
  get_filename_component(stem "${source}" NAME_WE)
  add_executable(tenon_${stem} "${source}")
  target_link_options(tenon_${stem} PRIVATE -fsanitize=fuzzer)
  if(TENON_BUILD_BUILDER)
    target_link_libraries(tenon_${stem} PRIVATE tenon_parser tenon_builder)
  else()
    target_link_libraries(tenon_${stem} PRIVATE tenon_runtime_static)
    target_include_directories(tenon_${stem} PRIVATE "${CMAKE_SOURCE_DIR}")
  endif()
endforeach()
