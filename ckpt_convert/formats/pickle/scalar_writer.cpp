#include "ckpt_convert/formats/pickle/scalar_writer.h"

#include <bit>
#include <string_view>

#include "base/check.h"
#include "ckpt_convert/formats/pickle/integers.h"
#include "ckpt_convert/formats/pickle/opcodes.h"

namespace ckpt::pickle {
namespace {

constexpr std::string_view kEncodeGlobal = "c_codecs\nencode\n";

void append_long(std::string& out, const std::string& little_endian) {
    CHECK(little_endian.size() <= UINT32_MAX);
    // Integers of more than 2040 bits have no opcode that weights_only accepts; the longer one is all there is.
    bool is_short = little_endian.size() < 256;
    out += is_short ? op::kLong1 : op::kLong4;
    append_little_endian(out, little_endian.size(), is_short ? 1 : 4);
    out += little_endian;
}

void append_integer(std::string& out, std::int64_t value) {
    if (value >= 0 && value < 256) {
        out += op::kBinInt1;
        append_little_endian(out, static_cast<std::uint64_t>(value), 1);
    } else if (value >= 0 && value < 65536) {
        out += op::kBinInt2;
        append_little_endian(out, static_cast<std::uint64_t>(value), 2);
    } else if (value >= INT32_MIN && value <= INT32_MAX) {
        out += op::kBinInt;
        append_little_endian(out, static_cast<std::uint64_t>(value), 4);
    } else {
        append_long(out, shortest_bytes(value));
    }
}

void append_text(std::string& out, std::string_view text) {
    CHECK(text.size() <= UINT32_MAX);
    out += op::kBinUnicode;
    append_little_endian(out, text.size(), 4);
    out += text;
}

// Protocol 2 has no bytes: Python writes a call of _codecs.encode(the bytes as Latin-1 text, "latin1").
void append_bytes(std::string& out, const Bytes& bytes) {
    std::string text;
    text.reserve(bytes.data.size());
    for (char c : bytes.data) {
        auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x80) text += static_cast<char>(0xC0 | byte >> 6);
        text += static_cast<char>(byte >= 0x80 ? 0x80 | (byte & 0x3F) : byte);
    }
    out += kEncodeGlobal;
    append_text(out, text);
    append_text(out, "latin1");
    out += op::kTuple2;
    out += op::kReduce;
}

}  // namespace

void append_little_endian(std::string& out, std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xFF);
}

bool append_scalar(std::string& out, const Value& value) {
    if (value.as<None>() != nullptr) {
        out += op::kNone;
    } else if (const bool* flag = value.as<bool>()) {
        out += *flag ? op::kNewTrue : op::kNewFalse;
    } else if (const std::int64_t* integer = value.as<std::int64_t>()) {
        append_integer(out, *integer);
    } else if (const BigInteger* big = value.as<BigInteger>()) {
        append_long(out, shortest_bytes(big->little_endian));
    } else if (const double* real = value.as<double>()) {
        out += op::kBinFloat;
        auto bits = std::bit_cast<std::uint64_t>(*real);
        for (int i = 8; i-- > 0;) out += static_cast<char>(bits >> (8 * i) & 0xFF);
    } else if (const std::string* text = value.as<std::string>()) {
        append_text(out, *text);
    } else if (const Bytes* bytes = value.as<Bytes>()) {
        append_bytes(out, *bytes);
    } else if (const Global* global = value.as<Global>()) {
        CHECK((global->module + global->name).find('\n') == std::string::npos);
        out += op::kGlobal + global->module + "\n" + global->name + "\n";
    } else {
        return false;
    }
    return true;
}

}  // namespace ckpt::pickle
