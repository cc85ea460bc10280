// What the tests of the pickle reader share.
#pragma once

#include <memory>
#include <string>

#include "ckpt_convert/formats/pickle/reader.h"
#include "tests/unit/ckpt_convert/formats/format_test_support.h"

namespace test {

// A parsed pickle. Keeps the arena alive next to the result.
struct ParsedPickle {
    ckpt::pickle::Arena arena;
    base::Result<ckpt::pickle::Ref> root;
    std::size_t position = 0;
    ckpt::pickle::Ref value() const {
        REQUIRE_MESSAGE(root.has_value(), root.error().text());
        return *root;
    }
};

inline std::unique_ptr<ParsedPickle> parse_pickle(
    const std::string& text, const ckpt::pickle::Limits& limits = {},
    const ckpt::pickle::GlobalFilter& accept = ckpt::pickle::is_checkpoint_global) {
    auto parsed = std::make_unique<ParsedPickle>();
    base::ByteReader reader(base::as_bytes(text), "f");
    parsed->root = ckpt::pickle::read(reader, parsed->arena, accept, limits);
    parsed->position = reader.position();
    return parsed;
}

inline void check_bad_pickle(const std::string& text, std::string_view part, const ckpt::pickle::Limits& limits = {}) {
    check_fails(parse_pickle(text, limits)->root, base::ErrorKind::bad_input, part);
}
inline void check_unsupported_pickle(const std::string& text, std::string_view part) {
    check_fails(parse_pickle(text)->root, base::ErrorKind::unsupported, part);
}

inline std::string u32(std::uint64_t value) { return little_endian(value, 4); }
inline std::string u64(std::uint64_t value) { return little_endian(value, 8); }

}  // namespace test
