// parse_memory: where tree-sitter gets its memory: a pool for each thread, as a parse makes millions of small blocks and
// gives all of them back. Private to this folder.
#pragma once

namespace migrator {

// From here on tree-sitter uses the pools. To be called before anything else of it.
void use_parse_memory();
// Behind a parse, when its parser and tree are deleted: the thread's pool starts afresh.
void reset_parse_memory();

}  // namespace migrator
