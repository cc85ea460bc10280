#include "migrator/semantic/packed_summary.h"

#include <algorithm>
#include <unordered_map>

namespace migrator {

class PackedSummary::Packer {
public:
    Packer(const ModuleSummary& from, PackedSummary& to) : from_(from), to_(to) {}

    void run() {
        to_.module_ = id(from_.module);
        to_.stars_ = pack(from_.stars);
        to_.names_ = pack(from_.names);
        for (const auto& [name, summary] : from_.classes)
            to_.classes_.push_back({id(name), pack(summary.bases), pack(summary.members), summary.open});
        for (const auto& [name, results] : from_.results)
            to_.functions_.push_back({id(name), pack(results), pack(from_.parameters.at(name))});
        shrink(to_.bytes_, to_.starts_, to_.lists_, to_.meanings_, to_.entries_, to_.classes_, to_.functions_);
    }

private:
    // Each text is kept once.
    TextId id(std::string_view text) {
        const auto [known, is_new] = ids_.try_emplace(text, static_cast<TextId>(ids_.size()));
        if (is_new) {
            to_.bytes_ += text;
            to_.starts_.push_back(static_cast<std::uint32_t>(to_.bytes_.size()));
        }
        return known->second;
    }

    Range pack(const std::vector<std::string>& list) {
        const std::size_t begin = to_.lists_.size();
        for (const std::string& text : list) to_.lists_.push_back(id(text));
        return range(begin, to_.lists_.size());
    }
    Range pack(const Meanings& meanings) {
        const std::size_t begin = to_.meanings_.size();
        for (const Meaning& meaning : meanings)
            to_.meanings_.push_back({id(meaning.name), id(meaning.type), meaning.origin, meaning.certainty,
                                     meaning.type_certainty, meaning.type_is_called});
        return range(begin, to_.meanings_.size());
    }
    Range pack(const std::map<std::string, Meanings, std::less<>>& table) {
        const std::size_t begin = to_.entries_.size();
        for (const auto& [name, meanings] : table) to_.entries_.push_back({id(name), pack(meanings)});
        return range(begin, to_.entries_.size());
    }

    static Range range(std::size_t begin, std::size_t end) {
        return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
    }
    static void shrink(auto&... lists) { (lists.shrink_to_fit(), ...); }

    const ModuleSummary& from_;
    PackedSummary& to_;
    std::unordered_map<std::string_view, TextId> ids_;
};

PackedSummary::PackedSummary(const ModuleSummary& summary) { Packer(summary, *this).run(); }

std::vector<std::string_view> PackedSummary::texts(Range range) const {
    std::vector<std::string_view> out;
    out.reserve(range.end - range.begin);
    for (std::uint32_t i = range.begin; i < range.end; ++i) out.push_back(text(lists_[i]));
    return out;
}

std::vector<std::string_view> PackedSummary::names() const {
    std::vector<std::string_view> out;
    for (std::uint32_t i = names_.begin; i < names_.end; ++i) out.push_back(text(entries_[i].name));
    return out;
}

Meanings PackedSummary::meanings(Range range) const {
    Meanings out;
    out.reserve(range.end - range.begin);
    for (std::uint32_t i = range.begin; i < range.end; ++i) {
        const PackedMeaning& from = meanings_[i];
        out.push_back({.name = std::string(text(from.name)),
                       .origin = from.origin,
                       .certainty = from.certainty,
                       .type = std::string(text(from.type)),
                       .type_is_called = from.type_is_called,
                       .type_certainty = from.type_certainty});
    }
    return out;
}

std::optional<Meanings> PackedSummary::find(Range entries, std::string_view name) const {
    const auto end = entries_.begin() + entries.end;
    const auto found =
        std::lower_bound(entries_.begin() + entries.begin, end, name,
                         [&](const Entry& entry, std::string_view text_of) { return text(entry.name) < text_of; });
    if (found == end || text(found->name) != name) return std::nullopt;
    return meanings(found->meanings);
}

}  // namespace migrator
