# SPDX-License-Identifier: Apache-2.0
# Tests that are scripts: rules about the sources, the linked library, the Python tests, the installed package.

add_test(NAME style.includes
  COMMAND "${TENON_PYTHON}" "${CMAKE_CURRENT_SOURCE_DIR}/check_includes.py" "${CMAKE_SOURCE_DIR}")
add_test(NAME style.includes_self_test
  COMMAND "${TENON_PYTHON}" "${CMAKE_CURRENT_SOURCE_DIR}/check_includes.py" --self-test)
add_test(NAME link.runtime
  COMMAND "${TENON_PYTHON}" "${CMAKE_CURRENT_SOURCE_DIR}/check_runtime_library.py" "$<TARGET_FILE:tenon_runtime>")

file(GLOB python_tests CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/python/test_*.py")
foreach(file IN LISTS python_tests)
  get_filename_component(stem "${file}" NAME_WE)
  add_test(NAME python.${stem} COMMAND "${TENON_PYTHON}" -m pytest -q -p no:cacheprovider "${file}"
    WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}")
  set_tests_properties(python.${stem} PROPERTIES LABELS python FIXTURES_REQUIRED "light;digits" TIMEOUT 300)
  set(environment "TENON_SOURCE_DIR=${CMAKE_SOURCE_DIR}" "TENON_BUILD_DIR=${CMAKE_BINARY_DIR}"
    "TENON_DATA_DIR=${TENON_DATA_DIR}" "PYTHONDONTWRITEBYTECODE=1")
  if(TARGET tenon)
    list(APPEND environment "TENON_COMMAND=$<TARGET_FILE:tenon>")
  endif()
  set_tests_properties(python.${stem} PROPERTIES ENVIRONMENT "${environment}")
endforeach()

add_test(NAME install.consumer
  COMMAND "${CMAKE_COMMAND}" -DBUILD_DIR=${CMAKE_BINARY_DIR} -DGENERATOR=${CMAKE_GENERATOR}
          -DCONSUMER_DIR=${CMAKE_CURRENT_SOURCE_DIR}/install -DCOMPILER=${CMAKE_CXX_COMPILER}
          -P "${CMAKE_CURRENT_SOURCE_DIR}/install/check_install.cmake")
set_tests_properties(install.consumer PROPERTIES LABELS extended TIMEOUT 300)
