# install_tools(TARGET...): the programs, and what must travel with them. A package for CMake, find_package(migration_toolkit), gives
# them as migration_toolkit::TARGET to projects that call them. install_programs(NAME...): programs that were built before. A wheel
# puts them on the PATH of its environment.

function(install_programs)
  # Who asks for them to be built need not know.
  foreach(name ${ARGN})
    add_custom_target(${name})
  endforeach()
  list(TRANSFORM ARGN PREPEND ${MIGRATION_PROGRAMS}/)
  install(PROGRAMS ${ARGN} DESTINATION ${SKBUILD_SCRIPTS_DIR} COMPONENT programs)
endfunction()

function(install_tools)
  include(GNUInstallDirs)
  if(SKBUILD)
    set(CMAKE_INSTALL_BINDIR ${SKBUILD_SCRIPTS_DIR})
  endif()
  install(TARGETS ${ARGN} EXPORT migration_toolkit RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT programs)
  install(FILES LICENSE templates/licenses.txt DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documents)

  set(package ${CMAKE_INSTALL_LIBDIR}/cmake/migration_toolkit)
  install(EXPORT migration_toolkit NAMESPACE migration_toolkit:: FILE migration_toolkit-config.cmake
    DESTINATION ${package} COMPONENT package)
  include(CMakePackageConfigHelpers)
  set(version_file ${CMAKE_BINARY_DIR}/generated/migration_toolkit-config-version.cmake)
  write_basic_package_version_file(${version_file} COMPATIBILITY SameMinorVersion)
  install(FILES ${version_file} DESTINATION ${package} COMPONENT package)
endfunction()
