# add_component(FOLDER LINK public... [PRIVATE private...]): the sources of FOLDER as one static library, named after
# the folder with '_' for '/'. add_tool(NAME COMPONENT): the program, from the component's main.cpp.

# -O3 compiles twice as long and gains nothing here: the time goes into copying, hashing and parsing libraries.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

add_library(project_options INTERFACE)
target_include_directories(project_options INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(project_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 warns of overlaps in std::string::insert that cannot happen (GCC bug 105651), and of uninitialised members of
  # a std::variant that it moves, depending on what it happens to inline.
  target_compile_options(project_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>
    $<$<COMPILE_LANGUAGE:CXX>:-Wno-maybe-uninitialized>)
endif()
# With sanitizers g++ warns of more that is not there; the ordinary build checks its warnings.
if(MIGRATION_WERROR AND NOT (MIGRATION_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU"))
  target_compile_options(project_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
endif()
# Without optimisation: with it, the code that the sanitizers add takes twice as long to compile.
if(MIGRATION_SANITIZE STREQUAL "address")
  # The checks left out stand at every access to memory, cost a third of the time, and find little that ASan does not.
  add_compile_options(-fsanitize=address,undefined -fno-sanitize=null,alignment,object-size,vptr
    -fno-sanitize-recover=all -fno-omit-frame-pointer -O0)
  add_link_options(-fsanitize=address,undefined)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # What the fuzz targets learn from, in all code that they run.
    add_compile_options(-fsanitize=fuzzer-no-link)
  endif()
elseif(MIGRATION_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer -O0)
  add_link_options(-fsanitize=thread)
else()
  # One binary that runs on any machine of the same architecture and libc; with the property PORTABLE, one that has the libc in it.
  set(portable $<BOOL:$<TARGET_PROPERTY:PORTABLE>>)
  # Code that a library would load at run time: migrator/profile/without_plugins.cpp has none.
  string(JOIN "$<COMMA>" without_plugins -Wl --wrap=dlopen --wrap=dlsym --wrap=dlclose --wrap=dlerror)
  target_link_options(project_options INTERFACE "$<IF:${portable},-static-pie;-s;${without_plugins},-static-libstdc++;-static-libgcc>")
endif()
if(MIGRATION_STATIC)
  # The default of many compilers, but not of all.
  add_compile_options(-fPIE)
endif()

# A build of everything takes half the time when several sources of a folder are compiled at once. The scripts build so; while
# one works on a source, compiling it alone is quicker, and shows a missing include.
option(MIGRATION_UNITY "Compile several sources at once: quicker for a whole build, slower for a change" OFF)

# Without optimisation, reading headers is most of the work: the build with sanitizers reads the common ones once.
function(share_headers target)
  if(NOT MIGRATION_SANITIZE)
    return()
  elseif(target STREQUAL "base")
    target_precompile_headers(base PRIVATE ${CMAKE_SOURCE_DIR}/cmake/common_headers.h)
  else()
    target_precompile_headers(${target} REUSE_FROM base)
  endif()
endfunction()

function(add_component folder)
  cmake_parse_arguments(ARG "" "" "LINK;PRIVATE" ${ARGN})
  string(REPLACE "/" "_" target ${folder})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*.cpp ${CMAKE_SOURCE_DIR}/${folder}/*/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  if(sources)
    add_library(${target} STATIC ${sources})
    target_link_libraries(${target} PUBLIC project_options ${ARG_LINK} PRIVATE ${ARG_PRIVATE})
    share_headers(${target})
    if(MIGRATION_SANITIZE OR MIGRATION_UNITY)
      # Whole folders: in parts of eight sources they take a quarter more of the processor.
      set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
    endif()
    if(MIGRATION_UNITY)
      # g++ takes the sources for headers.
      target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
    endif()
  else()
    add_library(${target} INTERFACE)
    target_link_libraries(${target} INTERFACE project_options ${ARG_LINK} ${ARG_PRIVATE})
  endif()
endfunction()

function(add_tool name component)
  string(REGEX REPLACE "_app$" "/app" folder ${component})
  if(EXISTS ${CMAKE_SOURCE_DIR}/${folder}/main.cpp)
    add_executable(${name} ${folder}/main.cpp)
    target_link_libraries(${name} PRIVATE ${component})
    set_target_properties(${name} PROPERTIES PORTABLE ${MIGRATION_STATIC})
  endif()
endfunction()
