// CodePlaces: at which line of a project an operator was called.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/file_system.h"
#include "migrator/compare/frame_tree.h"
#include "migrator/compare/profile_side.h"

namespace migrator {

struct CallPlace {
    std::string file;  // of the project, relative to its directory; without a project as the profile writes it
    std::uint32_t line = 0;

    auto operator<=>(const CallPlace&) const = default;
};

class CodePlaces {
public:
    // `project`: its directory; empty: not known. A path of a profile is the file of the project with the longest same end.
    CodePlaces(base::FileSystem& fs, const ProfileSide& side, const base::Path& project);

    // The innermost call that is not in a library, from the stack of the operator or from the frames of Python around it.
    std::optional<CallPlace> of(const HostEvent& event);

private:
    std::optional<CallPlace> in_stack(TextNumber stack);
    std::optional<CallPlace> in_frames(const HostEvent& event);
    // "path(line): function"
    std::optional<CallPlace> place_of(std::string_view call);
    std::optional<std::string> file_of(const std::string& path);

    base::FileSystem& fs_;
    const ProfileSide& side_;
    const base::Path project_;
    std::optional<FrameTree> frames_;
    std::unordered_map<TextNumber, std::optional<CallPlace>> stacks_;  // known
    std::unordered_map<std::string, std::optional<std::string>> files_;
};

}  // namespace migrator
