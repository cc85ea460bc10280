// parse_memory: where tree-sitter gets its memory: a pool for each thread, as a parse makes millions of small blocks and
// gives all of them back. Private to this folder.
#pragma once

#include <cstdint>

namespace migrator {

// From here on tree-sitter uses the pools. To be called before anything else of it.
void use_parse_memory();
// Behind a parse, when its parser and tree are deleted or given up: the thread's pool starts afresh.
void reset_parse_memory();
// Bytes that were asked for since then, whether or not they were given back.
std::uint64_t parse_memory_asked_for();

}  // namespace migrator
