#include "migrator/project/call_reach.h"

#include <utility>

#include "base/text.h"

namespace migrator {

CallReach::CallReach(std::vector<const CodeNames*> files) {
    for (const CodeNames* file : files) {
        for (const CodeNames::Function& function : file->functions) {
            ids_.try_emplace(function.name, static_cast<Id>(ids_.size()));
            if (function.of_class != 0) ids_.try_emplace(function.of_class, static_cast<Id>(ids_.size()));
        }
        for (const CodeNames::Function& one : file->classes) ids_.try_emplace(one.name, static_cast<Id>(ids_.size()));
    }
    for (const CodeNames* file : files) {
        File& out = files_.emplace_back();
        out.at_load = known_of(file->at_load);
        for (const CodeNames::Function& function : file->functions)
            out.functions.push_back({id_of(function.name),
                                     function.is_called_by_base ? id_of(function.of_class) : kNone,
                                     known_of(function.mentions)});
        // Behind the functions, whose places stay.
        for (const CodeNames::Function& one : file->classes)
            out.functions.push_back({id_of(one.name), kNone, known_of(one.mentions)});
    }
}

CallReach::Id CallReach::id_of(CodeNames::Name name) const {
    const auto found = ids_.find(name);
    return found == ids_.end() ? kNone : found->second;
}

std::vector<CallReach::Id> CallReach::known_of(const std::vector<CodeNames::Name>& names) const {
    std::vector<Id> out;
    for (const CodeNames::Name name : names) {
        if (const Id id = id_of(name); id != kNone) out.push_back(id);
    }
    return out;
}

std::vector<std::vector<bool>> CallReach::called(const std::vector<std::size_t>& loaded, std::string_view entry) const {
    using Place = std::pair<std::size_t, std::size_t>;  // in `loaded`, and in its functions
    std::vector<std::vector<Place>> waiting(ids_.size());
    std::vector<bool> is_mentioned(ids_.size());
    std::vector<Id> pending;
    const auto mention = [&](Id id) {
        if (id == kNone || is_mentioned[id]) return;
        is_mentioned[id] = true;
        pending.push_back(id);
    };
    std::vector<std::vector<bool>> out;
    for (std::size_t i = 0; i < loaded.size(); ++i) {
        const File& file = files_[loaded[i]];
        out.emplace_back(file.functions.size());
        for (std::size_t j = 0; j < file.functions.size(); ++j) {
            waiting[file.functions[j].name].emplace_back(i, j);
            if (file.functions[j].of_class != kNone) waiting[file.functions[j].of_class].emplace_back(i, j);
        }
        for (const Id id : file.at_load) mention(id);
    }
    for (const std::string_view name : base::split(entry, '.')) mention(id_of(CodeNames::of(name)));
    while (!pending.empty()) {
        const Id id = pending.back();
        pending.pop_back();
        for (const auto& [i, j] : waiting[id]) {
            if (out[i][j]) continue;
            out[i][j] = true;
            for (const Id next : files_[loaded[i]].functions[j].mentions) mention(next);
        }
    }
    return out;
}

}  // namespace migrator
