# SPDX-License-Identifier: Apache-2.0
# Installs into a folder of the build tree, then builds and runs a program that knows only find_package(Tenon).

set(prefix "${BUILD_DIR}/install_test/prefix")
set(consumer "${BUILD_DIR}/install_test/consumer")
file(REMOVE_RECURSE "${BUILD_DIR}/install_test")

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

run("${CMAKE_COMMAND}" --install "${BUILD_DIR}" --prefix "${prefix}")
run("${CMAKE_COMMAND}" -S "${CONSUMER_DIR}" -B "${consumer}" -G "${GENERATOR}" -DCMAKE_BUILD_TYPE=Release
    "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_PREFIX_PATH=${prefix}")
run("${CMAKE_COMMAND}" --build "${consumer}")
run("${consumer}/consumer")
