// Pickles of tensors piece by piece, so that every piece can be wrong.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/format.h"
#include "tests/unit/ckpt_convert/formats/format_test_support.h"

namespace test::raw {

inline std::string text(std::string_view value) { return "X" + little_endian(value.size(), 4) + std::string(value); }
inline std::string number(std::int64_t value) { return "J" + little_endian(static_cast<std::uint64_t>(value), 4); }
inline std::string global(std::string_view module, std::string_view name) {
    return base::format("c{}\n{}\n", module, name);
}
inline std::string tuple(const std::string& items) { return "(" + items + "t"; }
inline std::string numbers(const std::vector<std::int64_t>& values) {
    std::string out;
    for (std::int64_t value : values)
        out += value == INT32_MAX ? bytes("\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f") : number(value);
    return tuple(out);
}
inline std::string pickled(const std::string& body) { return bytes("\x80\x02") + body + "."; }

// A tensor of two rows of three floats in a storage of six, of which everything can be wrong.
struct RawTensor {
    std::string function = global("torch._utils", "_rebuild_tensor_v2");
    std::string storage_class = global("torch", "FloatStorage");
    std::string key = text("0");
    std::string elements = number(6);
    std::string view = {};
    std::string offset = number(0);
    std::string size = numbers({2, 3});
    std::string stride = numbers({3, 1});
    std::string more = {};

    std::string body() const {
        std::string storage = tuple(text("storage") + storage_class + key + text("cpu") + elements + view) + "Q";
        return function + tuple(storage + offset + size + stride + "\x89" + "N" + more) + "R";
    }
};

}  // namespace test::raw
