# embed_data(TARGET FOLDER...): a library that defines base::embedded_files() with every file below the folders.
# The bytes enter through the assembler's .incbin, which is as fast for a megabyte as for a line.

function(embed_data target)
  set(assembly "    .section .rodata\n")
  set(declarations "")
  set(rows "")
  set(files "")
  foreach(folder ${ARGN})
    file(GLOB_RECURSE found CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/${folder}/*)
    list(APPEND files ${found})
  endforeach()
  # Cases beside rules of the migrator are the examples that `explain` shows; what they become is worked out again. Those
  # of models are for tests alone.
  list(FILTER files EXCLUDE REGEX "/models/cases/|/cases/.*\\.(expected|reviewed)\\.|/schema/|^rules/.*\\.md$")
  list(SORT files)
  set(index 0)
  foreach(file ${files})
    string(APPEND assembly
      "    .balign 16\nembedded_${index}_begin:\n    .incbin \"${CMAKE_SOURCE_DIR}/${file}\"\nembedded_${index}_end:\n    .byte 0\n"
      "    .globl embedded_${index}_begin\n    .globl embedded_${index}_end\n")
    string(APPEND declarations "extern \"C\" const char embedded_${index}_begin[], embedded_${index}_end[];\n")
    string(APPEND rows
      "        {\"${file}\", {embedded_${index}_begin, static_cast<std::size_t>(embedded_${index}_end - embedded_${index}_begin)}},\n")
    math(EXPR index "${index} + 1")
  endforeach()
  string(APPEND assembly "    .section .note.GNU-stack,\"\",%progbits\n")

  set(directory ${CMAKE_BINARY_DIR}/generated)
  file(CONFIGURE OUTPUT ${directory}/${target}.S CONTENT "${assembly}" @ONLY)
  file(CONFIGURE OUTPUT ${directory}/${target}.cpp CONTENT
"#include <array>

#include \"base/data_store.h\"

${declarations}
namespace base {

std::span<const EmbeddedFile> embedded_files() {
    static const std::array<EmbeddedFile, ${index}> kFiles{{
${rows}    }};
    return kFiles;
}

}  // namespace base
" @ONLY)
  list(TRANSFORM files PREPEND ${CMAKE_SOURCE_DIR}/)
  set_source_files_properties(${directory}/${target}.S PROPERTIES OBJECT_DEPENDS "${files}")
  add_library(${target} OBJECT ${directory}/${target}.S ${directory}/${target}.cpp)
  target_link_libraries(${target} PRIVATE project_options tl-expected)
endfunction()
