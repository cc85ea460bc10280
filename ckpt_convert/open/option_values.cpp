#include "ckpt_convert/open/option_values.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "base/format.h"
#include "base/text.h"

namespace ckpt {
namespace {

std::optional<std::uint64_t> whole_number(std::string_view text) {
    std::uint64_t value = 0;
    auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || code != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

}  // namespace

std::string is_count(const std::string& text, std::uint64_t most) {
    auto value = whole_number(text);
    return value && *value >= 1 && *value <= most
               ? ""
               : base::format("\"{}\" is not a whole number from 1 to {}", text, most);
}

Result<std::int64_t> whole_option(const std::string& option, const std::string& text) {
    std::int64_t value = 0;
    auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || code != std::errc() || end != text.data() + text.size())
        return base::fail(ErrorKind::usage, base::format("{}: \"{}\" is not a whole number", option, text));
    return value;
}

Result<std::vector<std::uint32_t>> number_list(const std::string& option, const std::string& text) {
    std::vector<std::uint32_t> out;
    std::string_view rest = text;
    while (!rest.empty()) {
        std::size_t comma = std::min(rest.find(','), rest.size());
        auto value = whole_number(base::trimmed(rest.substr(0, comma), " "));
        if (!value || *value > UINT32_MAX || comma + 1 == rest.size()) {
            return base::fail(ErrorKind::usage,
                              base::format("{}: \"{}\" is not a list of numbers such as 16,16", option, text));
        }
        out.push_back(static_cast<std::uint32_t>(*value));
        rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
    return out;
}

Result<std::uint64_t> byte_count(const std::string& option, const std::string& text) {
    std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    std::string unit = text.substr(digits);
    std::transform(unit.begin(), unit.end(), unit.begin(), [](unsigned char c) { return std::toupper(c); });
    std::uint64_t scale = unit.empty() || unit == "B" ? 1
                          : unit == "KB"              ? 1'000
                          : unit == "MB"              ? 1'000'000
                          : unit == "GB"              ? 1'000'000'000
                                                      : 0;
    auto value = whole_number(std::string_view(text).substr(0, digits));
    if (!value || *value == 0 || scale == 0 || *value > UINT64_MAX / scale) {
        return base::fail(
            ErrorKind::usage,
            base::format("{}: \"{}\" is not a size such as 5GB or 512MB (units: B, KB, MB, GB)", option, text));
    }
    return *value * scale;
}

std::optional<DType> weight_dtype(const std::string& params_dtype) {
    if (params_dtype == "bf16") return DType::bf16;
    if (params_dtype == "fp16") return DType::f16;
    if (params_dtype == "fp32") return DType::f32;
    return std::nullopt;
}

Result<Side> side(const std::string& option, const std::string& text) {
    if (text.empty()) return Side::unknown;
    if (text == "hf") return Side::huggingface;
    if (text == "mg") return Side::megatron;
    if (text == "optim")
        return base::fail(
            ErrorKind::unsupported,
            option + " optim: the state of the optimizer goes with its weights: mg, and --optimizer keep");
    return base::fail(ErrorKind::usage, base::format("{}: \"{}\" is neither hf nor mg", option, text));
}

}  // namespace ckpt
