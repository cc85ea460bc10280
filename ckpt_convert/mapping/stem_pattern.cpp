#include "ckpt_convert/mapping/stem_pattern.h"

namespace ckpt {

StemPattern::StemPattern(std::string_view text)
    : before_(text.substr(0, text.find('*'))), behind_(text.substr(text.find('*') + 1)) {}

std::optional<std::string_view> StemPattern::stem(std::string_view name) const {
    if (name.size() < before_.size() + behind_.size() || !name.starts_with(before_) || !name.ends_with(behind_))
        return std::nullopt;
    return name.substr(before_.size(), name.size() - before_.size() - behind_.size());
}

std::string StemPattern::with(std::string_view stem) const { return before_ + std::string(stem) + behind_; }

}  // namespace ckpt
