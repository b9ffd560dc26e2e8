# `cmake --install`: the command with its models, schema and man page (component runtime), and what programs that link
# the library need (component development): headers, library, find_package(Bricard), pkg-config.
include(CMakePackageConfigHelpers)

if(BRICARD_COMMAND)
  install(TARGETS bricard RUNTIME COMPONENT runtime)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/models DESTINATION ${CMAKE_INSTALL_DATADIR}/bricard COMPONENT runtime)
  install(FILES ${PROJECT_SOURCE_DIR}/share/bricard/model.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/bricard
    COMPONENT runtime)
  # Written from what the command says of itself.
  add_custom_command(
    OUTPUT ${PROJECT_BINARY_DIR}/bricard.1.gz
    COMMAND python3 ${PROJECT_SOURCE_DIR}/scripts/man-page $<TARGET_FILE:bricard> ${PROJECT_BINARY_DIR}/bricard.1.gz
    DEPENDS bricard ${PROJECT_SOURCE_DIR}/scripts/man-page
    COMMENT "Writing the man page")
  add_custom_target(man_page ALL DEPENDS ${PROJECT_BINARY_DIR}/bricard.1.gz)
  install(FILES ${PROJECT_BINARY_DIR}/bricard.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT runtime)
endif()

set_target_properties(bricard_library PROPERTIES OUTPUT_NAME bricard EXPORT_NAME bricard VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set_target_properties(bricard_extend PROPERTIES EXPORT_NAME extend)
install(TARGETS bricard_library bricard_extend EXPORT BricardTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT development)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/bricard DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
# The headers of the engine that extensions include, with all that these include.
install(CODE "set(source \"${PROJECT_SOURCE_DIR}\")
  set(destination \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}/bricard/engine\")
  include(\"${PROJECT_SOURCE_DIR}/cmake/install_engine_headers.cmake\")" COMPONENT development)
get_target_property(library_type bricard_library TYPE)
set(config_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Bricard)
install(EXPORT BricardTargets NAMESPACE Bricard:: DESTINATION ${config_folder} COMPONENT development)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/BricardConfig.cmake.in ${PROJECT_BINARY_DIR}/BricardConfig.cmake
  INSTALL_DESTINATION ${config_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/BricardConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/BricardConfig.cmake ${PROJECT_BINARY_DIR}/BricardConfigVersion.cmake
  DESTINATION ${config_folder} COMPONENT development)

# A static library names what it needs; a shared one has it.
set(static_libraries
  "-lyaml-cpp -lfmt -lsundials_cvode -lsundials_ida -lsundials_kinsol -lsundials_nvecserial -lsundials_sunlinsolklu -lsundials_sunmatrixsparse -lklu -lamd -lbtf -lcolamd -lspqr -lcholmod -lsuitesparseconfig -llapacke -lopenblas -ldl")
if(library_type STREQUAL "STATIC_LIBRARY")
  set(pc_libraries ${static_libraries})
  set(pc_private "")
else()
  set(pc_libraries "")
  set(pc_private ${static_libraries})
endif()
file(RELATIVE_PATH pc_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)  # wherever it is installed
configure_file(${PROJECT_SOURCE_DIR}/cmake/bricard.pc.in ${PROJECT_BINARY_DIR}/bricard.pc @ONLY)
configure_file(${PROJECT_SOURCE_DIR}/cmake/bricard-extend.pc.in ${PROJECT_BINARY_DIR}/bricard-extend.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/bricard.pc ${PROJECT_BINARY_DIR}/bricard-extend.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

# What Debian wants of every package.
set(BRICARD_MAINTAINER "The Bricard developers <bricard@users.noreply.github.com>" CACHE STRING "Of the packages")
string(TIMESTAMP today "%a, %d %b %Y 00:00:00 +0000" UTC)
set(changelog ${PROJECT_BINARY_DIR}/debian-changelog)
file(WRITE ${changelog} "bricard (${PROJECT_VERSION}) unstable; urgency=medium\n\n  * Release ${PROJECT_VERSION}; see CHANGELOG.md of the sources.\n\n"
  " -- ${BRICARD_MAINTAINER}  ${today}\n")
find_program(GZIP gzip NO_CACHE)
if(GZIP)
  execute_process(COMMAND ${GZIP} -9nf ${changelog})
  foreach(pair "runtime bricard" "development libbricard-dev")
    separate_arguments(pair)
    list(GET pair 0 component)
    list(GET pair 1 package)
    install(FILES ${PROJECT_SOURCE_DIR}/LICENSE RENAME copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package}
      COMPONENT ${component})
    install(FILES ${changelog}.gz RENAME changelog.gz DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package}
      COMPONENT ${component})
  endforeach()
endif()

# `cpack` in the build folder: bricard.deb and libbricard-dev.deb.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME bricard)
set(CPACK_PACKAGE_VENDOR "Bricard")
set(CPACK_PACKAGE_CONTACT ${BRICARD_MAINTAINER})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "dynamics of constrained multibody systems")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL development)
if(BRICARD_COMMAND)
  list(APPEND CPACK_COMPONENTS_ALL runtime)
endif()
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME bricard)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION science)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SUGGESTS "libhdf5-103-1")
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION
  "Simulates mechanisms with closed loops, redundant constraints and singular\npositions. How constraints are enforced is a choice, and each run says what\nit chose and why.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libbricard-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
  "libeigen3-dev, libyaml-cpp-dev, libfmt-dev, libsundials-dev, libsuitesparse-dev, liblapacke-dev, libopenblas-dev")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "libgtest-dev")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
  "Headers and library of Bricard, for programs that simulate mechanisms.\nWith find_package(Bricard) and pkg-config.")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
