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

# The manual and the completions of a program, printed by itself when it is built. A program that this machine cannot run prints
# nothing, and is installed without.
function(install_texts_of tool)
  if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
    return()
  endif()
  set(texts ${CMAKE_BINARY_DIR}/generated/share/${tool})
  add_custom_command(TARGET ${tool} POST_BUILD
    COMMAND ${CMAKE_COMMAND} "-DPROGRAM=${CMAKE_CROSSCOMPILING_EMULATOR};$<TARGET_FILE:${tool}>" -DTEXTS=${texts}
      -P ${CMAKE_SOURCE_DIR}/cmake/PrintTexts.cmake
    VERBATIM)
  set(share ${CMAKE_INSTALL_DATAROOTDIR})
  install(FILES ${texts}/man RENAME ${tool}.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT documents)
  install(FILES ${texts}/bash RENAME ${tool} DESTINATION ${share}/bash-completion/completions COMPONENT documents)
  install(FILES ${texts}/zsh RENAME _${tool} DESTINATION ${share}/zsh/site-functions COMPONENT documents)
  install(FILES ${texts}/fish RENAME ${tool}.fish DESTINATION ${share}/fish/vendor_completions.d COMPONENT documents)
endfunction()

function(install_tools)
  include(GNUInstallDirs)
  if(SKBUILD)
    set(CMAKE_INSTALL_BINDIR ${SKBUILD_SCRIPTS_DIR})
  endif()
  install(TARGETS ${ARGN} EXPORT migration_toolkit RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT programs)
  foreach(tool ${ARGN})
    install_texts_of(${tool})
  endforeach()
  install(FILES LICENSE templates/licenses.txt DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documents)

  set(package ${CMAKE_INSTALL_LIBDIR}/cmake/migration_toolkit)
  install(EXPORT migration_toolkit NAMESPACE migration_toolkit:: FILE migration_toolkit-config.cmake
    DESTINATION ${package} COMPONENT package)
  include(CMakePackageConfigHelpers)
  set(version_file ${CMAKE_BINARY_DIR}/generated/migration_toolkit-config-version.cmake)
  write_basic_package_version_file(${version_file} COMPATIBILITY SameMinorVersion)
  install(FILES ${version_file} DESTINATION ${package} COMPONENT package)
endfunction()
