# Libraries from the system's packages or from dependencies/ARCHITECTURE (cmake/gather_dependencies.sh), and the tree-sitter C sources
# that cmake/fetch_sources.sh has put below third_party/ (none of them committed). Each missing one stops the configuration with
# what to install.

list(PREPEND CMAKE_PREFIX_PATH ${CMAKE_SOURCE_DIR}/dependencies/${CMAKE_SYSTEM_PROCESSOR})

# require_library(TARGET DEBIAN_PACKAGE HEADER [LIBRARY...]): an imported target for a library of headers, or for the first LIBRARY
# that is there.
function(require_library target debian_package header)
  string(MAKE_C_IDENTIFIER ${debian_package} name)
  find_path(${name}_INCLUDE_DIR ${header})
  set(found ${${name}_INCLUDE_DIR})
  if(found AND ARGN)
    find_library(${name}_LIBRARY NAMES ${ARGN})
    set(found ${${name}_LIBRARY})
  endif()
  if(NOT found)
    message(FATAL_ERROR "${header} was not found. Run ./quickstart.sh, or install it by hand: apt-get install ${debian_package}")
  endif()
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${target} SYSTEM INTERFACE ${${name}_INCLUDE_DIR})
  if(ARGN)
    target_link_libraries(${target} INTERFACE ${${name}_LIBRARY})
  endif()
endfunction()

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
require_library(nlohmann_json nlohmann-json3-dev nlohmann/json.hpp)
require_library(fmt libfmt-dev fmt/format.h)
require_library(tl-expected libexpected-dev tl/expected.hpp)
require_library(CLI11 libcli11-dev CLI/CLI.hpp)
require_library(toml++ libtomlplusplus-dev toml++/toml.h)
require_library(libdeflate libdeflate-dev libdeflate.h libdeflate.a deflate)
require_library(zlib zlib1g-dev zlib.h libz.a z)
require_library(sqlite libsqlite3-dev sqlite3.h libsqlite3.a sqlite3)
if(BUILD_TESTING)
  require_library(doctest doctest-dev doctest/doctest.h)
endif()

set(TREE_SITTER_DIR ${CMAKE_SOURCE_DIR}/third_party CACHE PATH "Where cmake/fetch_sources.sh has put the C sources")
if(NOT EXISTS ${TREE_SITTER_DIR})
  # Of a build that pip starts in a fresh clone.
  execute_process(COMMAND ${CMAKE_SOURCE_DIR}/cmake/fetch_sources.sh)
endif()
include(cmake/CheckSources.cmake)
add_library(tree_sitter STATIC
  ${TREE_SITTER_DIR}/tree-sitter/src/lib.c
  ${TREE_SITTER_DIR}/tree-sitter-python/src/parser.c
  ${TREE_SITTER_DIR}/tree-sitter-python/src/scanner.c)
target_include_directories(tree_sitter SYSTEM PUBLIC ${TREE_SITTER_DIR}/tree-sitter/include)
target_include_directories(tree_sitter PRIVATE ${TREE_SITTER_DIR}/tree-sitter/src ${TREE_SITTER_DIR}/tree-sitter-python/src)
# It is given memory by functions that throw when there is none.
target_compile_options(tree_sitter PRIVATE -w -fexceptions)
if(MIGRATION_SANITIZE)
  # It compiles quickly, does most of the work on a file, and its tables would be most of what fuzz targets count.
  target_compile_options(tree_sitter PRIVATE -O1 $<$<C_COMPILER_ID:Clang>:-fno-sanitize=fuzzer-no-link>)
endif()
# Its many small blocks then come from the memory that the parser is given.
set_source_files_properties(${TREE_SITTER_DIR}/tree-sitter-python/src/scanner.c PROPERTIES COMPILE_DEFINITIONS
  "TREE_SITTER_REUSE_ALLOCATOR;tree_sitter_python_external_scanner_serialize=python_scanner_serialize")
# The sources use POSIX functions that strict C11 hides.
target_compile_definitions(tree_sitter PRIVATE _POSIX_C_SOURCE=200112L _DEFAULT_SOURCE)
