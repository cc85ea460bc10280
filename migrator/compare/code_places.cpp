#include "migrator/compare/code_places.h"

#include "base/number_text.h"
#include "base/text.h"
#include "migrator/profile/json_tokens.h"

namespace migrator {

CodePlaces::CodePlaces(base::FileSystem& fs, const ProfileSide& side, const base::Path& project)
    : fs_(fs), side_(side), project_(project) {
    if (side.trace.python.empty()) return;
    std::vector<Frame> frames;
    for (const HostEvent event : side.trace.python)
        frames.push_back({.begin = event.begin, .end = event.end(), .thread = event.thread, .name = event.name});
    frames_.emplace(std::move(frames));
}

std::optional<CallPlace> CodePlaces::of(const HostEvent& event) {
    return event.stack != kNoText ? in_stack(event.stack) : in_frames(event);
}

// The innermost call first, one behind each semicolon.
std::optional<CallPlace> CodePlaces::in_stack(TextNumber stack) {
    const auto [known, is_new] = stacks_.try_emplace(stack);
    if (!is_new) return known->second;
    std::string scratch;
    const std::string_view text = unescaped(unquoted(side_.trace.texts[stack]), scratch);
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(';', at), text.size());
        if (const auto place = place_of(base::trimmed(text.substr(at, end - at), " \r\n\t")))
            return known->second = place;
        at = end + 1;
    }
    return std::nullopt;
}

std::optional<CallPlace> CodePlaces::in_frames(const HostEvent& event) {
    if (!frames_) return std::nullopt;
    std::uint32_t frame = frames_->around(event.thread, event.begin);
    for (; frame != Frame::kNone; frame = frames_->all().get<&Frame::parent>(frame)) {
        const TextNumber name = frames_->all().get<&Frame::name>(frame);
        const auto [known, is_new] = stacks_.try_emplace(name);
        if (is_new) known->second = place_of(side_.trace.texts[name]);
        if (known->second) return known->second;
    }
    return std::nullopt;
}

std::optional<CallPlace> CodePlaces::place_of(std::string_view call) {
    const std::size_t colon = call.rfind("): "), open = call.rfind('(', colon);
    if (colon == call.npos || open == call.npos || open == 0) return std::nullopt;
    const auto line = base::number_in<std::uint32_t>(call.substr(open + 1, colon - open - 1));
    const std::string path(call.substr(0, open)), small = lower_case(path);
    if (!line || side_.names.library_folders.in(small) || side_.names.library_begins.begins(small)) return std::nullopt;
    if (project_.empty()) return CallPlace{path, *line};
    const auto file = file_of(path);
    return file ? std::optional(CallPlace{*file, *line}) : std::nullopt;
}

std::optional<std::string> CodePlaces::file_of(const std::string& path) {
    const auto [known, is_new] = files_.try_emplace(path);
    if (!is_new) return known->second;
    for (std::size_t at = path.starts_with('/') ? 1 : 0;;) {
        const std::string tail = path.substr(at);
        if (!tail.empty() && tail.find("..") == tail.npos && fs_.exists(base::join(project_, tail)))
            return known->second = tail;
        const std::size_t slash = path.find('/', at);
        if (slash == path.npos) return std::nullopt;
        at = slash + 1;
    }
}

}  // namespace migrator
