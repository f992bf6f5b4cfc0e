# SPDX-License-Identifier: Apache-2.0
# Data that tests need, made once and kept: each script leaves what is already there.

if(NOT TENON_BUILD_BUILDER)
  return()
endif()

function(tenon_data_fixture fixture script)
  add_test(NAME data.${fixture}
    COMMAND "${TENON_PYTHON}" "${CMAKE_CURRENT_SOURCE_DIR}/data/${script}" "${TENON_DATA_DIR}/${fixture}"
    WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}")
  # Presets share the folder, so only one of these scripts runs at a time.
  set_tests_properties(data.${fixture} PROPERTIES
    FIXTURES_SETUP ${fixture} RESOURCE_LOCK tenon_data TIMEOUT 600)
endfunction()

tenon_data_fixture(light make_light_models.py)
tenon_data_fixture(digits make_digits_reference.py)

# Plans are rebuilt every time, because they belong to the build that made them.
if(TARGET tenon)
  add_test(NAME data.plans
    COMMAND tenon build samples/01_digits/digits.onnx -o "${TENON_PLAN_DIR}/digits.plan"
    WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}")
  set_tests_properties(data.plans PROPERTIES FIXTURES_SETUP plans TIMEOUT 120)
  file(MAKE_DIRECTORY "${TENON_PLAN_DIR}")
endif()
