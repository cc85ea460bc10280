#include <bit>
#include <charconv>

#include "base/format.h"
#include "base/utf8.h"
#include "ckpt_convert/base_names.h"
#include "ckpt_convert/formats/pickle/integers.h"
#include "ckpt_convert/formats/pickle/machine.h"
#include "ckpt_convert/formats/pickle/opcodes.h"
#include "ckpt_convert/formats/pickle/text_literals.h"

namespace ckpt::pickle {

void Machine::add_scalar_handlers(Handlers& handlers) {
    auto set = [&handlers](char opcode, Handler handler) { handlers[static_cast<unsigned char>(opcode)] = handler; };
    set(op::kNone, &Machine::none);
    set(op::kNewTrue, &Machine::new_true);
    set(op::kNewFalse, &Machine::new_false);
    set(op::kInt, &Machine::int_text);
    set(op::kBinInt, &Machine::bin_int);
    set(op::kBinInt1, &Machine::bin_unsigned<1>);
    set(op::kBinInt2, &Machine::bin_unsigned<2>);
    set(op::kLong, &Machine::long_text);
    set(op::kLong1, &Machine::long_bytes<1>);
    set(op::kLong4, &Machine::long_bytes<4>);
    set(op::kFloat, &Machine::float_text);
    set(op::kBinFloat, &Machine::bin_float);
    set(op::kString, &Machine::string_text);
    set(op::kShortBinString, &Machine::bin_string<1>);
    set(op::kBinString, &Machine::bin_string<4>);
    set(op::kUnicode, &Machine::unicode_text);
    set(op::kShortBinUnicode, &Machine::bin_unicode<1>);
    set(op::kBinUnicode, &Machine::bin_unicode<4>);
    set(op::kBinUnicode8, &Machine::bin_unicode<8>);
    set(op::kShortBinBytes, &Machine::bin_bytes<1>);
    set(op::kBinBytes, &Machine::bin_bytes<4>);
    set(op::kBinBytes8, &Machine::bin_bytes<8>);
    set(op::kByteArray8, &Machine::bin_bytes<8>);
}

Result<std::string_view> Machine::line() {
    TRY_ASSIGN(std::string_view text, reader_.take_until('\n'));
    if (text.ends_with('\r')) text.remove_suffix(1);
    return text;
}

Result<std::uint64_t> Machine::decimal_number() {
    TRY_ASSIGN(std::string_view text, line());
    std::uint64_t value = 0;
    auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc{} || end != text.data() + text.size()) {
        return error(base::format("{} is not a number of a stored value", quoted_name(text)));
    }
    return value;
}

Status Machine::none() { return push(none_); }
Status Machine::new_true() { return push(true_); }
Status Machine::new_false() { return push(false_); }

Status Machine::int_text() {
    TRY_ASSIGN(std::string_view text, line());
    // Protocols 0 and 1 have no other way to say True and False.
    if (text == "00") return push(false_);
    if (text == "01") return push(true_);
    return push_decimal(text);
}

Status Machine::long_text() {
    TRY_ASSIGN(std::string_view text, line());
    if (text.ends_with('L')) text.remove_suffix(1);
    return push_decimal(text);
}

Status Machine::push_decimal(std::string_view digits) {
    // A byte has at least 2.4 decimal digits; a few more are for the sign and rounding.
    std::uint64_t max_digits = limits_.max_long_bytes * 12 / 5 + 2;
    if (digits.size() > max_digits)
        return error(base::format("an integer of {} digits; the most allowed are {}", digits.size(), max_digits));
    auto value = integer_from_decimal(digits);
    if (!value) return error(base::format("{} is not an integer", quoted_name(digits)));
    return push_new(std::move(*value));
}

Status Machine::bin_int() {
    TRY_ASSIGN(std::uint32_t bits, reader_.u32());
    return push_new(static_cast<std::int64_t>(static_cast<std::int32_t>(bits)));
}

template <int kBytes>
Status Machine::bin_unsigned() {
    TRY_ASSIGN(std::uint64_t value, unsigned_number<kBytes>());
    return push_new(static_cast<std::int64_t>(value));
}

template <int kBytes>
Status Machine::long_bytes() {
    TRY_ASSIGN(std::uint64_t count, unsigned_number<kBytes>());
    if (count > limits_.max_long_bytes) {
        return error(base::format("an integer of {} bytes; the most allowed are {}", count, limits_.max_long_bytes));
    }
    TRY_ASSIGN(std::string_view bytes, reader_.take_text(count));
    return push_new(integer_from_bytes(bytes));
}

Status Machine::float_text() {
    TRY_ASSIGN(std::string_view text, line());
    double value = 0;
    auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc{} || end != text.data() + text.size())
        return error(base::format("{} is not a float", quoted_name(text)));
    return push_new(value);
}

// Big-endian, unlike everything else.
Status Machine::bin_float() {
    TRY_ASSIGN(base::ByteSpan bytes, reader_.take(8));
    std::uint64_t bits = 0;
    for (std::byte byte : bytes) bits = bits << 8 | std::to_integer<std::uint64_t>(byte);
    return push_new(std::bit_cast<double>(bits));
}

Status Machine::string_text() {
    TRY_ASSIGN(std::string_view text, line());
    auto data = bytes_from_literal(text);
    if (!data) return error(base::format("{} is not a string literal", quoted_name(text)));
    return push_text_or_bytes(std::move(*data));
}

Status Machine::unicode_text() {
    TRY_ASSIGN(std::string_view text, reader_.take_until('\n'));
    auto data = utf8_from_raw_escapes(text);
    if (!data) return error(base::format("{} has an invalid escape", quoted_name(text)));
    return push_new(std::move(*data));
}

template <int kBytes>
Status Machine::bin_string() {
    TRY_ASSIGN(std::uint64_t count, unsigned_number<kBytes>());
    TRY_ASSIGN(std::string_view data, reader_.take_text(count));
    return push_text_or_bytes(std::string(data));
}

// Python 2 had one type for text and bytes.
Status Machine::push_text_or_bytes(std::string data) {
    if (base::is_valid_utf8(data)) return push_new(std::move(data));
    return push_new(Bytes{std::move(data)});
}

template <int kBytes>
Status Machine::bin_unicode() {
    TRY_ASSIGN(std::uint64_t count, unsigned_number<kBytes>());
    TRY_ASSIGN(std::string_view text, reader_.take_text(count));
    if (!base::is_valid_utf8(text)) return error(base::format("the string {} is not valid UTF-8", quoted_name(text)));
    return push_new(std::string(text));
}

template <int kBytes>
Status Machine::bin_bytes() {
    TRY_ASSIGN(std::uint64_t count, unsigned_number<kBytes>());
    TRY_ASSIGN(std::string_view data, reader_.take_text(count));
    return push_new(Bytes{std::string(data)});
}

}  // namespace ckpt::pickle
