#include "ckpt_convert/mapping/dialect.h"

#include <algorithm>
#include <charconv>

#include "base/format.h"

namespace ckpt {
namespace {

using base::ErrorKind;
using base::Result;

bool read_number(std::string_view& text, int& value) {
    auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc() || value < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return true;
}

std::vector<std::string_view> words_of(std::string_view text) {
    std::vector<std::string_view> out;
    while (true) {
        std::size_t begin = text.find_first_not_of(' ');
        if (begin == std::string_view::npos) return out;
        std::size_t end = std::min(text.find(' ', begin), text.size());
        out.push_back(text.substr(begin, end - begin));
        text.remove_prefix(end);
    }
}

}  // namespace

Result<CoreVersion> CoreVersion::parse(std::string_view text, ErrorKind kind, const std::string& where) {
    std::string_view rest = text;
    if (rest.starts_with("core_v")) rest.remove_prefix(6);
    CoreVersion out;
    bool good = read_number(rest, out.major) && rest.starts_with(".");
    if (good) {
        rest.remove_prefix(1);
        good = read_number(rest, out.minor) && (rest.empty() || rest.front() == '.');
    }
    if (good) return out;
    return base::fail(kind, base::format("\"{}\" is no version of megatron-core such as 0.12.1", text), where);
}

std::string CoreVersion::text() const { return base::format("{}.{}", major, minor); }

std::string Dialect::text() const {
    if (torch_dist) return base::format("{}, torch_dist", target);
    return base::format("{}, {} layers", target, layers == "te" ? "Transformer Engine" : layers);
}

Result<DialectSelector> DialectSelector::parse(std::string_view text, const std::string& where) {
    DialectSelector out;
    out.text_ = text;
    for (std::string_view word : words_of(text)) {
        if (out.layers_.empty() && (word == "local" || word == "te")) {
            out.layers_ = word;
        } else if (word == "torch_dist") {
            out.torch_dist_ = true;
        } else if (word.starts_with("core>=") || word.starts_with("core<")) {
            bool at_least = word.starts_with("core>=");
            TRY_ASSIGN(CoreVersion version,
                       CoreVersion::parse(word.substr(at_least ? 6 : 5), ErrorKind::rule_data, where));
            (at_least ? out.at_least_ : out.below_).push_back(version);
            out.boundaries_.push_back(version);
        } else if (out.target_.empty() && word != "local" && word != "te" &&
                   word.find_first_of("<>=") == std::string_view::npos) {
            out.target_ = word;
        } else {
            return base::fail(ErrorKind::rule_data, base::format("\"{}\" names no dialect", text), where);
        }
    }
    return out;
}

bool DialectSelector::matches(const Dialect& dialect) const {
    auto reached = [&](const CoreVersion& version) { return dialect.core >= version; };
    return (target_.empty() || target_ == dialect.target) && (layers_.empty() || layers_ == dialect.layers) &&
           (!torch_dist_ || dialect.torch_dist) && std::all_of(at_least_.begin(), at_least_.end(), reached) &&
           std::none_of(below_.begin(), below_.end(), reached);
}

}  // namespace ckpt
