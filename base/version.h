// The version of both programs: that of the CMake project, and the commit that they were built from.
#pragma once

#include <string>
#include <string_view>

namespace base {

extern const std::string_view kVersion;
extern const std::string_view kHomepage;  // where people read about the programs; empty where the build does not say it
extern const std::string_view kCommit;    // empty where it is not known; the build generates it

// What --version says of `program`.
std::string version_text(std::string_view program);

}  // namespace base
