# Libraries from the system's packages, and the tree-sitter C sources that cmake/fetch_sources.sh has put below
# third_party/ (not committed). Each missing one stops the configuration with what to install.

function(require_package name debian_package)
  find_package(${name} ${ARGN} QUIET)
  if(NOT ${name}_FOUND)
    message(FATAL_ERROR "${name} was not found. Run ./quickstart.sh, or install it by hand: apt-get install ${debian_package}")
  endif()
  # Imported targets are local to the function otherwise.
  set(${name}_FOUND TRUE PARENT_SCOPE)
endfunction()

set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)
set(THREADS_PREFER_PTHREAD_FLAG ON)
require_package(Threads g++)
require_package(nlohmann_json nlohmann-json3-dev)
require_package(fmt libfmt-dev)
require_package(tl-expected libexpected-dev)
require_package(CLI11 libcli11-dev)
require_package(doctest doctest-dev)

find_path(TOMLPLUSPLUS_INCLUDE_DIR toml++/toml.h)
if(NOT TOMLPLUSPLUS_INCLUDE_DIR)
  message(FATAL_ERROR "toml++ was not found. Run ./quickstart.sh, or install it by hand: apt-get install libtomlplusplus-dev")
endif()
add_library(tomlplusplus INTERFACE)
target_include_directories(tomlplusplus SYSTEM INTERFACE ${TOMLPLUSPLUS_INCLUDE_DIR})

find_path(LIBDEFLATE_INCLUDE_DIR libdeflate.h)
find_library(LIBDEFLATE_LIBRARY NAMES libdeflate.a deflate)
if(NOT LIBDEFLATE_INCLUDE_DIR OR NOT LIBDEFLATE_LIBRARY)
  message(FATAL_ERROR "libdeflate was not found. Run ./quickstart.sh, or install it by hand: apt-get install libdeflate-dev")
endif()
add_library(libdeflate INTERFACE)
target_include_directories(libdeflate SYSTEM INTERFACE ${LIBDEFLATE_INCLUDE_DIR})
target_link_libraries(libdeflate INTERFACE ${LIBDEFLATE_LIBRARY})

set(TREE_SITTER_DIR ${CMAKE_SOURCE_DIR}/third_party CACHE PATH "Where cmake/fetch_sources.sh has put the C sources")
foreach(file tree-sitter/src/lib.c tree-sitter/include/tree_sitter/api.h tree-sitter-python/src/parser.c tree-sitter-python/src/scanner.c)
  if(NOT EXISTS ${TREE_SITTER_DIR}/${file})
    message(FATAL_ERROR "${TREE_SITTER_DIR}/${file} is missing. Run cmake/fetch_sources.sh, which fetches the pinned tree-sitter sources from npm or PyPI.")
  endif()
endforeach()
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
