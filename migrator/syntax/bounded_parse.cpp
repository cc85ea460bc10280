#include "migrator/syntax/bounded_parse.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>

#include <tree_sitter/api.h>

#include "base/check.h"
#include "migrator/syntax/grammar.h"
#include "migrator/syntax/parse_memory.h"

// The grammar's scanner saves its state, most of which is the indentation of every open block, into a buffer of this size.
// It cuts what does not fit, or writes one byte more, so its function has another name, and the parser calls ours.
constexpr std::size_t kScannerState = 1024;  // TREE_SITTER_SERIALIZATION_BUFFER_SIZE: 510 blocks; Python allows 100
static thread_local bool is_too_deep = false;

extern "C" unsigned python_scanner_serialize(void* scanner, char* buffer);
extern "C" unsigned tree_sitter_python_external_scanner_serialize(void* scanner, char* buffer) {
    std::array<char, kScannerState + 1> state;
    const unsigned size = python_scanner_serialize(scanner, state.data());
    is_too_deep = is_too_deep || size >= kScannerState;
    if (is_too_deep) return 0;  // the state of a scanner that has read nothing
    std::copy_n(state.data(), size, buffer);
    return size;
}

namespace migrator {
namespace {

// Of a text of `bytes` bytes: kFree + kPerByte * bytes. What Python needs at most, in files of the standard library:
// 75 bytes of memory for a byte of the text, 25 bytes read (all tokens are looked at again and again, so small texts need
// more), and 0.1 steps.
struct Limit {
    std::uint64_t free, per_byte;
    std::uint64_t of(std::uint64_t bytes) const { return free + per_byte * bytes; }
};
constexpr Limit kMemory{64 << 20, 1024};  // asked for, in all; every token that is skipped copies those before it
constexpr Limit kRead{16 << 20, 64};      // given to the lexer, which goes back to where a token begins
constexpr Limit kSteps{1 << 20, 10};
constexpr std::uint64_t kStepsPerReport = 100;  // tree-sitter's
constexpr std::uint32_t kChunk = 256;           // so many bytes are given to the lexer at once

struct DeleteParser {
    void operator()(TSParser* parser) const { ts_parser_delete(parser); }
};
struct DeleteTree {
    void operator()(TSTree* tree) const { ts_tree_delete(tree); }
};
using ParserPtr = std::unique_ptr<TSParser, DeleteParser>;
using TreePtr = std::unique_ptr<TSTree, DeleteTree>;

struct Work {
    std::string_view text;
    std::uint64_t read = 0;
    std::uint64_t reports = 0;

    bool is_too_much() const {
        return is_too_deep || read > kRead.of(text.size()) || reports * kStepsPerReport > kSteps.of(text.size()) ||
               parse_memory_asked_for() > kMemory.of(text.size());
    }
};

const char* read_text(void* payload, std::uint32_t offset, TSPoint, std::uint32_t* bytes_read) {
    auto* work = static_cast<Work*>(payload);
    // An end where none is lets the lexer stop; the parser is told at its next report.
    const bool is_end = offset >= work->text.size() || work->is_too_much();
    *bytes_read = is_end ? 0 : std::min(kChunk, static_cast<std::uint32_t>(work->text.size() - offset));
    work->read += *bytes_read;
    return is_end ? "" : work->text.data() + offset;
}

bool report(TSParseState* state) {
    auto* work = static_cast<Work*>(state->payload);
    ++work->reports;
    return work->is_too_much();
}

// The pool takes back what a parse that could not go on has left behind.
struct PoolReset {
    ~PoolReset() { reset_parse_memory(); }
};

}  // namespace

bool bounded_parse(std::string_view text, const std::function<void(const TSTree*)>& take) {
    if (text.size() >= std::numeric_limits<std::uint32_t>::max()) return false;  // tree-sitter's offsets have 32 bits
    use_parse_memory();
    const PoolReset reset;
    is_too_deep = false;
    Work work{text};
    ParserPtr parser(ts_parser_new());
    CHECK(ts_parser_set_language(parser.get(), Grammar::python().language()));
    const TSInput input{&work, read_text, TSInputEncodingUTF8, nullptr};
    TreePtr tree;
    try {
        tree.reset(ts_parser_parse_with_options(parser.get(), nullptr, input, TSParseOptions{&work, report}));
    } catch (const std::bad_alloc&) {
        static_cast<void>(parser.release());  // it was left in the middle of something
        throw;
    }
    if (tree == nullptr || work.is_too_much()) return false;
    take(tree.get());
    return true;
}

}  // namespace migrator
