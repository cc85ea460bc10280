#include "migrator/semantic/name_table.h"

namespace migrator {
NameId NameTable::add(std::string_view text) {
    const auto id = static_cast<NameId>(texts_.size());
    texts_.push_back(text);
    ids_.emplace(text, id);
    return id;
}

NameId NameTable::intern(std::string_view text) {
    const auto found = ids_.find(text);
    return found == ids_.end() ? add(text) : found->second;
}

NameId NameTable::intern_copy(std::string_view text) {
    const auto found = ids_.find(text);
    return found == ids_.end() ? add(owned_.emplace_back(text)) : found->second;
}

std::optional<NameId> NameTable::find(std::string_view text) const {
    const auto found = ids_.find(text);
    if (found == ids_.end()) return std::nullopt;
    return found->second;
}

NameId NameTable::child(NameId parent, std::string_view member) {
    const std::string_view prefix = texts_[parent];
    if (prefix.size() + member.size() > kMaxNameBytes) return kNoName;
    const std::uint64_t key = std::uint64_t{parent} << 32 | intern_copy(member);
    const auto found = children_.find(key);
    if (found != children_.end()) return found->second;
    std::string text(texts_[parent]);
    if (!text.empty()) text += '.';
    text += member;
    const NameId id = intern_copy(text);
    children_.emplace(key, id);
    return id;
}

}  // namespace migrator
