#include "ckpt_convert/launch/option_list.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"

namespace ckpt {
namespace {

constexpr std::string_view kNo = "--no-";

bool is_called(const OptionRow& row, std::string_view name) {
    if (row.name == name || base::contains(row.aliases, name)) return true;
    // A key of YAML is an option of the command line as well.
    if (name.starts_with("--") && row.name == name.substr(2)) return true;
    return row.takes == "switch" && name.starts_with(kNo) && row.name == "--" + std::string(name.substr(kNo.size()));
}

}  // namespace

Result<OptionList> OptionList::load(const base::DataStore& store, const std::string& name, const std::string& release) {
    OptionList out;
    TRY_ASSIGN(out.file_, base::read_rule_record<OptionFile>(store, "rules/launch/" + name + ".json"));
    const auto& releases = out.file_.releases;
    if (releases.empty()) return out;
    const auto found = std::find(releases.begin(), releases.end(), release);
    if (found == releases.end())
        return base::fail(ErrorKind::usage, base::format("the options of {} are known of these releases: {}", name,
                                                         base::joined(releases, ", ")));
    out.release_ = static_cast<std::size_t>(found - releases.begin());
    return out;
}

bool OptionList::has(const OptionRow& row, std::string_view program) const {
    const auto also = file_.reads.find(program);
    const bool is_read = also != file_.reads.end() && row.program == also->second;
    if (!is_read && row.program != (has_program(program) ? program : std::string_view())) return false;
    const auto& releases = file_.releases;
    const auto number = [&](const std::string& release) {
        return static_cast<std::size_t>(std::find(releases.begin(), releases.end(), release) - releases.begin());
    };
    return (row.since.empty() || number(row.since) <= release_) && (row.until.empty() || release_ <= number(row.until));
}

bool OptionList::has_program(std::string_view program) const {
    return std::any_of(file_.options.begin(), file_.options.end(),
                       [&](const OptionRow& row) { return row.program == program && !program.empty(); });
}

const OptionRow* OptionList::find(std::string_view name, std::string_view program) const {
    const auto found = std::find_if(file_.options.begin(), file_.options.end(),
                                    [&](const OptionRow& row) { return is_called(row, name) && has(row, program); });
    return found == file_.options.end() ? nullptr : &*found;
}

std::vector<const OptionRow*> OptionList::beginning(std::string_view word, std::string_view program) const {
    std::vector<const OptionRow*> out;
    for (const OptionRow& row : file_.options) {
        if (row.name.starts_with(word) && has(row, program)) out.push_back(&row);
    }
    return out;
}

std::string OptionList::elsewhere(std::string_view name) const {
    for (const OptionRow& row : file_.options) {
        if (!is_called(row, name)) continue;
        if (!row.since.empty()) return base::format("{} and later", row.since);
        if (!row.until.empty()) return base::format("{} and before", row.until);
    }
    return {};
}

std::vector<std::string> OptionList::names(std::string_view program) const {
    std::vector<std::string> out;
    for (const OptionRow& row : file_.options) {
        if (has(row, program)) out.push_back(row.name);
    }
    return out;
}

std::vector<std::string> OptionList::required(std::string_view program) const {
    std::vector<std::string> out;
    for (const OptionRow& row : file_.options) {
        if (row.required && !row.name.starts_with("--") && row.program == program) out.push_back(row.name);
    }
    return out;
}

}  // namespace ckpt
