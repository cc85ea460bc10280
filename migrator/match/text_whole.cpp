// Commands and services that are rewritten all together or not at all.
#include <algorithm>
#include <array>
#include <map>
#include <span>

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

void add_commands(const TextFile& file, std::vector<base::ByteRange>& out) {
    for (const TextCommand& command : file.contents.commands) {
        const bool is_whole = std::ranges::any_of(file.rules->script_places.whole, [&](const std::string& named) {
            return behind_command(command, named) != 0;
        });
        if (!is_whole) continue;
        out.push_back(
            {file.contents.place(command.words.front()).begin, file.contents.place(command.words.back()).end});
    }
}

// From the name of a service to the last that is set below it.
void add_services(const TextFile& file, std::vector<base::ByteRange>& out) {
    const TextContents& contents = file.contents;
    const std::vector<KeyId> services = contents.keys_right_below(file.rules->script_places.whole_under);
    std::map<KeyId, std::uint64_t> ends;
    for (const TextSetting& setting : contents.settings) {
        const KeyId service = setting.key < services.size() ? services[setting.key] : kNoKey;
        if (service != kNoKey) ends[service] = std::max(ends[service], contents.place(setting.text).end);
    }
    for (const auto& [service, end] : ends) out.push_back({contents.place(contents.keys[service].name).begin, end});
}

// Of the parts of a file, those findings of `kinds` that lie in one.
void keep_whole(const std::vector<base::ByteRange>& parts, std::span<const FindingKind> kinds, FindingSink& sink) {
    if (parts.empty()) return;
    std::vector<Finding*> settings;  // by place
    for (Finding& finding : sink) {
        if (base::contains(kinds, finding.kind)) settings.push_back(&finding);
    }
    const auto begin = [](const Finding* finding) { return finding->range.begin; };
    std::ranges::stable_sort(settings, {}, begin);
    for (const base::ByteRange& part : parts) {
        const auto first = std::ranges::lower_bound(settings, part.begin, {}, begin);
        keep_whole({first, std::ranges::lower_bound(settings, part.end, {}, begin)});
    }
}

}  // namespace

// A command is one line to a person, with the program that runs in the container; of a service, the program is a line of its
// own.
void keep_whole(const TextFile& file, FindingSink& sink) {
    constexpr std::array kOfCommands{FindingKind::environment, FindingKind::device_string, FindingKind::backend};
    std::vector<base::ByteRange> commands;
    add_commands(file, commands);
    keep_whole(commands, kOfCommands, sink);
    std::vector<base::ByteRange> services;
    add_services(file, services);
    keep_whole(services, std::span(kOfCommands).first(1), sink);
}

}  // namespace migrator
