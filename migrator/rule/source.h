// The source of a fact: citations such as "PyTorch source: torch/_ops.py; PEP 8".
#pragma once

#include <string>
#include <string_view>

#include "base/record.h"

namespace migrator {

// Where a reader finds what is cited.
struct SourceEntry {
    std::string title;
    std::string url;
    std::string version;
    std::string read;
};
constexpr auto record_of(const SourceEntry*) {
    return base::record("source", "a document or a repository that rules cite",
                        base::field("title", &SourceEntry::title, "what it is called").needed(),
                        base::field("url", &SourceEntry::url, "where it can be read").needed(),
                        base::field("version", &SourceEntry::version, "that was read").needed(),
                        base::field("read", &SourceEntry::read, "the day, `2026-11-23`, or the month").needed());
}

// "PyTorch source: torch/_ops.py" -> "PyTorch source"
std::string_view cited_name(std::string_view citation);
// A part of the fact, or all of it, has no source.
bool is_unverified(std::string_view source);

}  // namespace migrator
