# SPDX-License-Identifier: Apache-2.0
# Compiler settings that hold for every target.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# Line tables are enough for back traces and sanitizer reports, and keep the build short.
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1 -DNDEBUG")

add_compile_options(-Wall -Wextra -ffunction-sections -fdata-sections)
# Programs that touch no code generator start without loading LLVM.
add_link_options(-Wl,--as-needed -Wl,--gc-sections)

if(TENON_SANITIZERS)
  add_compile_options(-fsanitize=${TENON_SANITIZERS} -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  if(TENON_SANITIZERS MATCHES "address" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # The address sanitizer finds these too; their checks take a third of the compile time.
    add_compile_options(-fno-sanitize=null,object-size,vptr)
  endif()
  add_link_options(-fsanitize=${TENON_SANITIZERS})
endif()

find_program(TENON_CCACHE ccache)
if(TENON_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${TENON_CCACHE}")
endif()
