#include "migrator/report/finding_id.h"

#include "base/format.h"

namespace migrator {
namespace {

// FNV-1a: ids need to be the same on every machine and in every version, not secret.
std::uint64_t hash(std::string_view text) {
    std::uint64_t state = 0xcbf29ce484222325u;
    for (char c : text) {
        state ^= static_cast<unsigned char>(c);
        state *= 0x100000001b3u;
    }
    return state;
}

// Of a line of megabytes, which may have thousands of findings, the begin will do: equal ones are counted.
constexpr std::size_t kMaxLineBytes = 4096;

std::string_view without_blanks_around(std::string_view text) {
    constexpr std::string_view kBlanks = " \t\f\r\n";
    std::size_t first = text.find_first_not_of(kBlanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

}  // namespace

std::string FindingIds::next(std::string_view rule, std::string_view subject, std::string_view line) {
    std::string key = path_;
    for (std::string_view part : {rule, subject, without_blanks_around(line.substr(0, kMaxLineBytes))}) {
        key += '\0';  // in none of the parts, so that their borders count
        key += part;
    }
    std::uint64_t occurrence = seen_[key]++;
    key += '\0' + std::to_string(occurrence);
    return base::format("{:016x}", hash(key));
}

}  // namespace migrator
