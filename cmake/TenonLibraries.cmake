# SPDX-License-Identifier: Apache-2.0
# The libraries. Each takes its sources by a glob per folder, so that a new file edits no CMake file.

set(TENON_GENERATED_DIR "${CMAKE_BINARY_DIR}/generated")
file(MAKE_DIRECTORY "${TENON_GENERATED_DIR}")

find_package(Threads REQUIRED)

# Sets OUT to SOURCES, or to an empty translation unit while the folder has none: a library needs one.
function(tenon_sources_or_stub out name)
  set(sources ${ARGN})
  if(NOT sources)
    set(sources "${TENON_GENERATED_DIR}/${name}_empty.cpp")
    file(WRITE "${sources}" "")
  endif()
  set(${out} ${sources} PARENT_SCOPE)
endfunction()

# ---- runtime: compiled once, linked twice ---------------------------------------------------------
# Deployers link the shared library, which shows only TENON_API symbols. The builder, the command and the tests
# reach the runtime's internals through the static one. No target may link both.

file(GLOB_RECURSE runtime_sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/runtime/*.cpp")
tenon_sources_or_stub(runtime_sources tenon_runtime ${runtime_sources})
add_library(tenon_runtime_objects OBJECT ${runtime_sources})
target_include_directories(tenon_runtime_objects PRIVATE "${CMAKE_SOURCE_DIR}" "${CMAKE_SOURCE_DIR}/include")
target_compile_options(tenon_runtime_objects PRIVATE -fvisibility=hidden -fvisibility-inlines-hidden)

# The plan's schema, as runtime/plan/<name>_generated.h. Such code pins the exact version of flatc, so it is made at
# build time.
add_library(tenon_plan_schema INTERFACE)
target_include_directories(tenon_plan_schema INTERFACE
  "${TENON_GENERATED_DIR}" "${TENON_GENERATED_DIR}/runtime/plan")
file(GLOB plan_schemas CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/runtime/plan/*.fbs")
set(plan_headers)
if(plan_schemas)
  find_program(TENON_FLATC flatc REQUIRED)
endif()
foreach(schema IN LISTS plan_schemas)
  get_filename_component(stem "${schema}" NAME_WE)
  set(header "${TENON_GENERATED_DIR}/runtime/plan/${stem}_generated.h")
  add_custom_command(
    OUTPUT "${header}"
    COMMAND "${TENON_FLATC}" --cpp --cpp-std c++17 --scoped-enums --gen-object-api
            -o "${TENON_GENERATED_DIR}/runtime/plan" "${schema}"
    DEPENDS ${plan_schemas}
    COMMENT "flatc runtime/plan/${stem}.fbs")
  list(APPEND plan_headers "${header}")
endforeach()
add_custom_target(tenon_plan_headers DEPENDS ${plan_headers})
add_dependencies(tenon_plan_schema tenon_plan_headers)
target_link_libraries(tenon_runtime_objects PRIVATE tenon_plan_schema)

function(tenon_runtime_library name kind)
  add_library(${name} ${kind} $<TARGET_OBJECTS:tenon_runtime_objects>)
  target_include_directories(${name} PUBLIC
    "$<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
  target_link_libraries(${name} PUBLIC Threads::Threads)
  target_compile_features(${name} PUBLIC cxx_std_20)
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
  # CMake refuses a target whose dependencies disagree on this property: nothing links both runtimes.
  set_target_properties(${name} PROPERTIES INTERFACE_TENON_RUNTIME ${kind})
  set_property(TARGET ${name} APPEND PROPERTY COMPATIBLE_INTERFACE_STRING TENON_RUNTIME)
endfunction()

tenon_runtime_library(tenon_runtime SHARED)
set_target_properties(tenon_runtime PROPERTIES
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR} EXPORT_NAME runtime)
if(NOT TENON_SANITIZERS AND NOT TENON_BUILD_FUZZERS)
  target_link_options(tenon_runtime PRIVATE -Wl,-z,defs)
endif()
add_library(tenon::runtime ALIAS tenon_runtime)

tenon_runtime_library(tenon_runtime_static STATIC)
set_target_properties(tenon_runtime_static PROPERTIES EXPORT_NAME runtime_static)

if(NOT TENON_BUILD_BUILDER)
  return()
endif()

# ---- builder --------------------------------------------------------------------------------------
# Static: its users are the command, the tests and offline tools, and it reaches the runtime's internals.

find_package(LLVM 19.1 REQUIRED CONFIG HINTS /usr/lib/llvm-19/lib/cmake/llvm)
find_package(fmt REQUIRED)

file(GLOB_RECURSE builder_sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/builder/*.cpp")
set(codegen_cpu_sources ${builder_sources})
list(FILTER codegen_cpu_sources INCLUDE REGEX "/builder/codegen/cpu/")
list(FILTER builder_sources EXCLUDE REGEX "/builder/codegen/cpu/")

# The only target that sees LLVM's headers, so that the compiler enforces the rule.
tenon_sources_or_stub(codegen_cpu_sources tenon_codegen_cpu ${codegen_cpu_sources})
add_library(tenon_codegen_cpu OBJECT ${codegen_cpu_sources})
target_include_directories(tenon_codegen_cpu PRIVATE "${CMAKE_SOURCE_DIR}" "${CMAKE_SOURCE_DIR}/include")
target_include_directories(tenon_codegen_cpu SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
separate_arguments(llvm_definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
target_compile_definitions(tenon_codegen_cpu PRIVATE ${llvm_definitions})
target_link_libraries(tenon_codegen_cpu PRIVATE fmt::fmt)
if(TENON_SANITIZERS)
  # Classes of the uninstrumented libLLVM lack the type information that this check reads.
  target_compile_options(tenon_codegen_cpu PRIVATE -fno-sanitize=vptr)
endif()

tenon_sources_or_stub(builder_sources tenon_builder ${builder_sources})
add_library(tenon_builder STATIC ${builder_sources} $<TARGET_OBJECTS:tenon_codegen_cpu>)
target_include_directories(tenon_builder PUBLIC "$<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}>")
target_link_libraries(tenon_builder
  PUBLIC tenon_runtime_static
  PRIVATE "$<BUILD_INTERFACE:tenon_plan_schema>" fmt::fmt LLVM)
set_target_properties(tenon_builder PROPERTIES EXPORT_NAME builder)
add_library(tenon::builder ALIAS tenon_builder)

# ---- parser ---------------------------------------------------------------------------------------

find_package(Protobuf REQUIRED)
file(GLOB parser_sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/parser/*.cpp")
file(GLOB parser_schema CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/parser/*.proto")
set(protobuf_library protobuf::libprotobuf)
set(protobuf_outputs)
foreach(schema IN LISTS parser_schema)
  get_filename_component(stem "${schema}" NAME_WE)
  file(STRINGS "${schema}" lite REGEX "LITE_RUNTIME")
  if(lite)
    set(protobuf_library protobuf::libprotobuf-lite)
  endif()
  set(outputs "${TENON_GENERATED_DIR}/parser/${stem}.pb.cc" "${TENON_GENERATED_DIR}/parser/${stem}.pb.h")
  add_custom_command(
    OUTPUT ${outputs}
    COMMAND protobuf::protoc -I "${CMAKE_SOURCE_DIR}" --cpp_out "${TENON_GENERATED_DIR}" "${schema}"
    DEPENDS "${schema}"
    COMMENT "protoc parser/${stem}.proto")
  list(APPEND protobuf_outputs ${outputs})
endforeach()
set_source_files_properties(${protobuf_outputs} PROPERTIES COMPILE_OPTIONS -w)

tenon_sources_or_stub(parser_sources tenon_parser ${parser_sources})
add_library(tenon_parser STATIC ${parser_sources} ${protobuf_outputs})
target_include_directories(tenon_parser PRIVATE "${TENON_GENERATED_DIR}" "${TENON_GENERATED_DIR}/parser")
target_link_libraries(tenon_parser PUBLIC tenon_builder PRIVATE ${protobuf_library} fmt::fmt)
set_target_properties(tenon_parser PROPERTIES EXPORT_NAME parser)
add_library(tenon::parser ALIAS tenon_parser)

# ---- command --------------------------------------------------------------------------------------

file(GLOB tool_sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/tools/*.cpp")
if(tool_sources)
  find_path(TENON_CLI11_INCLUDE CLI/CLI.hpp REQUIRED)
  find_path(TENON_JSON_INCLUDE nlohmann/json.hpp REQUIRED)
  # Apart from main.cpp, so that tests read and write the same files.
  list(REMOVE_ITEM tool_sources "${CMAKE_SOURCE_DIR}/tools/main.cpp")
  add_library(tenon_tools STATIC ${tool_sources})
  target_compile_definitions(tenon_tools PRIVATE TENON_VERSION="${PROJECT_VERSION}")
  target_link_libraries(tenon_tools PUBLIC tenon_parser tenon_builder PRIVATE fmt::fmt)
  add_executable(tenon tools/main.cpp)
  target_compile_definitions(tenon PRIVATE TENON_VERSION="${PROJECT_VERSION}")
  target_link_libraries(tenon PRIVATE tenon_tools fmt::fmt)
endif()
