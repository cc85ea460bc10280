#include "ckpt_convert/mapping/distributed_names.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "ckpt_convert/mapping/model_mapping.h"

namespace ckpt {
namespace {

// What is behind "KEY." for the first of the keys that stands in front.
std::optional<std::string> behind_key(const std::vector<std::string>& keys, std::string_view name) {
    for (const std::string& key : keys) {
        if (name.size() > key.size() && name.starts_with(key) && name[key.size()] == '.')
            return std::string(name.substr(key.size() + 1));
    }
    return std::nullopt;
}

}  // namespace

Result<DistributedNames> DistributedNames::load(const base::DataStore& store) {
    return base::read_rule_record<DistributedNames>(store, "rules/formats/distributed.json");
}

EntryName DistributedNames::entry(const std::string& fqn, const std::vector<std::string>& path,
                                  std::string_view container) const {
    using Kind = EntryName::Kind;
    if (auto state = behind_key(optimizer, fqn)) return {Kind::optimizer, std::move(*state)};
    if (path.size() > 1) {
        const std::string keys = base::joined(std::vector<std::string>(path.begin(), path.end() - 1), ".");
        return base::contains(weights, keys) ? EntryName{Kind::weight, path.back()} : EntryName{Kind::other, fqn};
    }
    if (path.empty() && !container.empty()) {
        if (auto name = behind_key({std::string(container)}, fqn)) return {Kind::weight, std::move(*name)};
        return {Kind::other, fqn};
    }
    return {what_is_beside(fqn) == fqn ? Kind::weight : Kind::other, fqn};
}

std::string DistributedNames::guess_container(const std::vector<std::string>& names) const {
    for (const std::string& key : weights) {
        std::size_t under = 0, rooted = 0;
        for (const std::string& name : names) {
            const auto inner = behind_key({key}, name);
            if (!inner) continue;
            ++under;
            rooted += std::any_of(roots.begin(), roots.end(),
                                  [&](const std::string& root) { return inner->starts_with(root); });
        }
        if (under > 0 && rooted > 0) return key;
    }
    return "";
}

std::string DistributedNames::unwrapped(std::string name) const {
    for (const std::string& wrapper : wrappers) {
        for (std::size_t at = name.find(wrapper); at != name.npos; at = name.find(wrapper, at)) {
            if (at == 0 || name[at - 1] == '.') name.erase(at, wrapper.size());
            else at += wrapper.size();
        }
    }
    for (bool again = true; again;) {
        again = false;
        for (const std::string& wrapper : outer_wrappers) {
            if (!name.starts_with(wrapper)) continue;
            name.erase(0, wrapper.size());
            again = true;
        }
    }
    return name;
}

bool DistributedNames::is_no_weight(std::string_view name) const {
    return std::any_of(no_weights.begin(), no_weights.end(),
                       [&](const std::string& pattern) { return matches_pattern(pattern, name); });
}

const SavedBeside* DistributedNames::saved_beside(const std::string& name) const {
    for (const SavedBeside& one : beside) {
        if (std::any_of(one.entries.begin(), one.entries.end(),
                        [&](const std::string& pattern) { return matches_pattern(pattern, name); }))
            return &one;
    }
    return nullptr;
}

std::string DistributedNames::what_is_beside(const std::string& name) const {
    const SavedBeside* found = saved_beside(name);
    return found == nullptr ? name : found->what;
}

}  // namespace ckpt
