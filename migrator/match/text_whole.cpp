// Commands and services that are rewritten all together or not at all.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "migrator/match/text_file.h"

namespace migrator {
namespace {

// A half of `docker run --gpus all --runtime=nvidia -e CUDA_VISIBLE_DEVICES IMAGE` starts a container for no device at all.
void keep_whole(std::span<Finding* const> findings) {
    const auto open = std::ranges::find_if(
        findings, [](const Finding* finding) { return !finding->fix && finding->effort != Effort::none; });
    if (open == findings.end()) return;
    for (Finding* finding : findings) {
        if (!finding->fix) continue;
        finding->fix.reset();
        finding->message.add(
            {"Not rewritten: {other} in the same command or service is left to you; change all of it together.",
             {{"other", (*open)->subject}}});
    }
}

using Findings = std::vector<Finding*>;  // by place

Findings findings_of(std::span<const FindingKind> kinds, FindingSink& sink) {
    Findings out;
    for (Finding& finding : sink) {
        if (base::contains(kinds, finding.kind)) out.push_back(&finding);
    }
    std::ranges::stable_sort(out, {}, [](const Finding* finding) { return finding->range.begin; });
    return out;
}

std::span<Finding* const> findings_in(const Findings& all, base::ByteRange range) {
    const auto begin = [](const Finding* finding) { return finding->range.begin; };
    const auto first = std::ranges::lower_bound(all, range.begin, {}, begin);
    return {first, std::ranges::lower_bound(first, all.end(), range.end, {}, begin)};
}

void keep_commands_whole(const TextFile& file, FindingSink& sink) {
    constexpr std::array kKinds{FindingKind::environment, FindingKind::device_string, FindingKind::backend};
    const Findings all = findings_of(kKinds, sink);
    for (const TextCommand& command : file.contents.commands) {
        const bool is_whole = std::ranges::any_of(file.rules->script_places.whole, [&](const std::string& named) {
            return behind_command(command, named) != 0;
        });
        if (!is_whole) continue;
        keep_whole(findings_in(
            all, {file.contents.place(command.words.front()).begin, file.contents.place(command.words.back()).end}));
    }
}

// The services of a file, and what they take in of it by names of YAML: `<<: *gpu`. Those that share something which is to
// change stand or fall together.
class Services {
public:
    Services(const TextContents& contents, std::span<const std::string> under, const Findings& all)
        : contents_(contents), services_(contents.keys_right_below(under)), all_(all) {}

    void keep_whole_ones() {
        if (std::ranges::all_of(services_, [](KeyId key) { return key == kNoKey; })) return;
        find_owners();
        find_ends();
        take_in();
        std::map<KeyId, Findings> parts;
        for (const auto& [owner, end] : ends_) {
            Findings& part = parts[first_of(owner)];
            const auto own = findings_in(all_, range_of(owner));
            part.insert(part.end(), own.begin(), own.end());
        }
        for (const auto& [owner, part] : parts) keep_whole(part);
    }

private:
    void find_owners() {
        std::set<KeyId> named;
        for (const TextAnchor& anchor : contents_.anchors) named.insert(anchor.key);
        for (KeyId key = 0; key < contents_.keys.size(); ++key) {
            const KeyId parent = contents_.keys[key].parent;
            const KeyId around = parent == kNoKey ? kNoKey : owners_[parent];
            const KeyId own = named.contains(key) ? key : kNoKey;
            owners_.push_back(services_[key] != kNoKey ? services_[key] : around != kNoKey ? around : own);
            joined_.push_back(key);
        }
    }

    KeyId owner_of(const TextSetting& setting) const { return setting.key == kNoKey ? kNoKey : owners_[setting.key]; }

    void find_ends() {
        for (const TextSetting& setting : contents_.settings) {
            if (owner_of(setting) == kNoKey) continue;
            std::uint64_t& end = ends_[owner_of(setting)];
            end = std::max(end, contents_.place(setting.text).end);
        }
    }

    // From its name to the last that is set below it.
    base::ByteRange range_of(KeyId owner) const {
        return {contents_.place(contents_.keys[owner].name).begin, ends_.at(owner)};
    }

    // What has a name stands in front of where the name is used, and so do the names that it uses itself.
    void take_in() {
        std::map<std::string_view, KeyId> anchors;
        for (const TextAnchor& anchor : contents_.anchors) anchors[anchor.name] = owners_[anchor.key];
        std::set<KeyId> changing;  // that use, or have, what is to change
        for (const TextSetting& setting : contents_.settings) {
            if (owner_of(setting) == kNoKey || !setting.text.starts_with('*')) continue;
            const auto anchor = anchors.find(setting.text.substr(1));
            if (anchor == anchors.end() || !ends_.contains(anchor->second)) continue;
            if (!changing.contains(anchor->second) && findings_in(all_, range_of(anchor->second)).empty()) continue;
            joined_[first_of(anchor->second)] = first_of(owner_of(setting));
            changing.insert(owner_of(setting));
        }
    }

    KeyId first_of(KeyId key) {
        while (joined_[key] != key) key = joined_[key] = joined_[joined_[key]];
        return key;
    }

    const TextContents& contents_;
    std::vector<KeyId> services_;  // by key, the service that it is in
    const Findings& all_;
    std::vector<KeyId> owners_;            // by key: the service, or what has a name, that it is in
    std::vector<KeyId> joined_;            // by owner: one that it stands or falls with
    std::map<KeyId, std::uint64_t> ends_;  // of owners
};

}  // namespace

// A command is one line to a person, with the program that runs in the container; of a service, the program is a line of its
// own.
void keep_whole(const TextFile& file, FindingSink& sink) {
    keep_commands_whole(file, sink);
    constexpr std::array kKinds{FindingKind::environment};
    const Findings all = findings_of(kKinds, sink);
    Services(file.contents, file.rules->script_places.whole_under, all).keep_whole_ones();
}

}  // namespace migrator
