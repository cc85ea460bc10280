#include "ckpt_convert/mapping/stem_pattern.h"

#include <algorithm>

#include "base/format.h"

namespace ckpt {

StemPattern::StemPattern(std::string_view text)
    : before_(text.substr(0, text.find('*'))), behind_(text.substr(text.find('*') + 1)) {}

std::optional<std::string_view> StemPattern::stem(std::string_view name) const {
    if (name.size() < before_.size() + behind_.size() || !name.starts_with(before_) || !name.ends_with(behind_))
        return std::nullopt;
    return name.substr(before_.size(), name.size() - before_.size() - behind_.size());
}

std::string StemPattern::with(std::string_view stem) const { return before_ + std::string(stem) + behind_; }

base::Result<StemPattern> StemPattern::of(base::JsonObject& object, std::string_view key) {
    TRY_ASSIGN(std::string text, object.string(key));
    if (std::count(text.begin(), text.end(), '*') != 1)
        return object.error(base::format("\"{}\" must have one *", text));
    return StemPattern(text);
}

}  // namespace ckpt
