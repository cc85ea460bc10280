// Stable ids of findings, so that two runs can be compared although lines have moved.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace migrator {

// Numbers the findings of one file. An id is a 64-bit hash, as 16 hexadecimal digits, of the path, the rule, the
// subject, the text of the finding's first line without the blanks around it, and how many equal ones came before.
class FindingIds {
public:
    explicit FindingIds(std::string_view path) : path_(path) {}

    // Must be called in the order of the findings in the file.
    std::string next(std::string_view rule, std::string_view subject, std::string_view line);

private:
    std::string path_;
    std::map<std::string, std::uint64_t, std::less<>> seen_;
};

}  // namespace migrator
