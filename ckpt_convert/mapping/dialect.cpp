#include "ckpt_convert/mapping/dialect.h"

#include <algorithm>
#include <charconv>

#include "base/format.h"
#include "base/text.h"

namespace ckpt {
namespace {

bool read_number(std::string_view& text, int& value) {
    auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc() || value < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return true;
}

// Words that cannot be the name of a target.
bool is_keyword(std::string_view word) {
    constexpr std::string_view kKeywords[] = {"local",   "te",         "torch_dist", "rank_files",
                                              "grouped", "sequential", "mla_split",  "mla_whole"};
    return std::find(std::begin(kKeywords), std::end(kKeywords), word) != std::end(kKeywords);
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
    return base::fail(kind, base::format("\"{}\" is not a version of megatron-core such as 0.12.1", text), where);
}

std::string CoreVersion::text() const { return base::format("{}.{}", major, minor); }

std::string Dialect::text() const {
    if (torch_dist) return base::format("{}, torch_dist", target);
    return base::format(
        "{}, {} layers{}", target, layers == "te" ? "Transformer Engine" : layers,
        base::format("{}{}", grouped ? ", grouped experts" : "", mla_split ? ", split latent projections" : ""));
}

Result<DialectSelector> DialectSelector::parse(std::string_view text, const std::string& where) {
    DialectSelector out;
    out.text_ = text;
    for (std::string_view word : base::split(text, ' ')) {
        if (out.layers_.empty() && (word == "local" || word == "te")) {
            out.layers_ = word;
        } else if (!out.torch_dist_ && (word == "torch_dist" || word == "rank_files")) {
            out.torch_dist_ = word == "torch_dist";
        } else if (!out.grouped_ && (word == "grouped" || word == "sequential")) {
            out.grouped_ = word == "grouped";
        } else if (!out.mla_split_ && (word == "mla_split" || word == "mla_whole")) {
            out.mla_split_ = word == "mla_split";
        } else if (word.starts_with("core>=") || word.starts_with("core<")) {
            bool at_least = word.starts_with("core>=");
            TRY_ASSIGN(CoreVersion version,
                       CoreVersion::parse(word.substr(at_least ? 6 : 5), ErrorKind::rule_data, where));
            (at_least ? out.at_least_ : out.below_).push_back(version);
            out.boundaries_.push_back(version);
        } else if (out.target_.empty() && !is_keyword(word) && word.find_first_of("<>=") == std::string_view::npos) {
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
           torch_dist_.value_or(dialect.torch_dist) == dialect.torch_dist &&
           grouped_.value_or(dialect.grouped) == dialect.grouped &&
           mla_split_.value_or(dialect.mla_split) == dialect.mla_split &&
           std::all_of(at_least_.begin(), at_least_.end(), reached) &&
           std::none_of(below_.begin(), below_.end(), reached);
}

}  // namespace ckpt
