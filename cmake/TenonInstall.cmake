# SPDX-License-Identifier: Apache-2.0
# find_package(Tenon) gives tenon::runtime, and with the builder tenon::builder and tenon::parser.
# tenon::builder carries the runtime inside: link it or tenon::runtime, never both.

include(CMakePackageConfigHelpers)

set(TENON_CMAKE_DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/Tenon")
set(installed_libraries tenon_runtime)
if(TENON_BUILD_BUILDER)
  list(APPEND installed_libraries tenon_runtime_static tenon_builder tenon_parser)
endif()

install(TARGETS ${installed_libraries} EXPORT TenonTargets
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
if(TARGET tenon)
  install(TARGETS tenon RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()
file(MAKE_DIRECTORY "${CMAKE_SOURCE_DIR}/include")
install(DIRECTORY "${CMAKE_SOURCE_DIR}/include/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(EXPORT TenonTargets NAMESPACE tenon:: DESTINATION "${TENON_CMAKE_DESTINATION}")

configure_package_config_file("${CMAKE_SOURCE_DIR}/cmake/TenonConfig.cmake.in"
  "${CMAKE_BINARY_DIR}/TenonConfig.cmake" INSTALL_DESTINATION "${TENON_CMAKE_DESTINATION}")
write_basic_package_version_file("${CMAKE_BINARY_DIR}/TenonConfigVersion.cmake" COMPATIBILITY SameMajorVersion)
install(FILES "${CMAKE_BINARY_DIR}/TenonConfig.cmake" "${CMAKE_BINARY_DIR}/TenonConfigVersion.cmake"
  DESTINATION "${TENON_CMAKE_DESTINATION}")
