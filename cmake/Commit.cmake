# generate_commit(TARGET): adds a source that defines base::kCommit, the commit of the sources: MIGRATION_COMMIT, or that of the archive
# that git made, or of the git checkout, or nothing. It is asked with each build, by this file as a script, and compiled when it is
# another one.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  function(generate_commit target)
    set(output ${CMAKE_BINARY_DIR}/generated/commit.cpp)
    add_custom_target(commit BYPRODUCTS ${output}
      COMMAND ${CMAKE_COMMAND} -DSOURCE=${CMAKE_SOURCE_DIR} -DOUTPUT=${output} -DCOMMIT=${MIGRATION_COMMIT}
        -P ${CMAKE_SOURCE_DIR}/cmake/Commit.cmake)
    set_source_files_properties(${output} PROPERTIES GENERATED ON SKIP_UNITY_BUILD_INCLUSION ON)
    target_sources(${target} PRIVATE ${output})
    add_dependencies(${target} commit)
  endfunction()
  return()
endif()

cmake_policy(VERSION 3.22)
if(NOT COMMIT)
  file(STRINGS ${SOURCE}/cmake/commit.txt COMMIT REGEX "^[0-9a-f]+$")
  if(COMMIT)
    string(SUBSTRING ${COMMIT} 0 12 COMMIT)
  elseif(EXISTS ${SOURCE}/.git)
    execute_process(COMMAND git -c safe.directory=* describe --always --abbrev=12 --exclude=* --dirty
      WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
endif()
# Left as it is while the content is the same.
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT
"#include \"base/version.h\"

namespace base {

const std::string_view kCommit = \"@COMMIT@\";

}  // namespace base
" @ONLY)
