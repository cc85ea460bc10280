#include "migrator/project/project_conditions.h"

#include <algorithm>
#include <optional>

#include "base/format.h"
#include "migrator/project/project.h"

namespace migrator {
namespace {

constexpr std::int64_t kBytesPerMegabyte = 1 << 20;
constexpr std::size_t kMaxDigits = 9;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

void skip(std::string_view& text, std::string_view characters) {
    text.remove_prefix(std::min(text.find_first_not_of(characters), text.size()));
}

// A whole number that is not the beginning of something longer.
std::optional<std::int64_t> number_at(std::string_view text) {
    skip(text, " \t");
    std::int64_t value = 0;
    std::size_t digits = 0;
    for (; digits < text.size() && is_digit(text[digits]); ++digits) {
        if (digits == kMaxDigits) return std::nullopt;
        value = value * 10 + (text[digits] - '0');
    }
    text.remove_prefix(digits);
    if (digits == 0 || (!text.empty() && (is_letter(text.front()) || text.front() == '.'))) return std::nullopt;
    skip(text, " \t");
    if (!text.empty() && std::string_view("*/+-%").find(text.front()) != std::string_view::npos) return std::nullopt;
    return value;
}

// "--batch-size" -> "batch_size"
std::string normal_name(std::string_view name) {
    std::string out(name);
    std::replace(out.begin(), out.end(), '-', '_');
    return out;
}

// `= 8`, `: 8`, `: int = 8`, `": 8`; behind an option also ` 8` and `", type=int, default=8`
std::optional<std::int64_t> value_behind(std::string_view text, bool is_option) {
    if (is_option) {
        const std::string_view line = text.substr(0, text.find('\n'));
        const std::size_t fallback = line.find("default=");
        if (fallback != line.npos) return number_at(line.substr(fallback + 8));
    }
    skip(text, "\"' \t");
    if (text.starts_with(": int")) text.remove_prefix(5);
    skip(text, " \t");
    if (text.starts_with('=') || text.starts_with(':')) text.remove_prefix(1);
    else if (!is_option) return std::nullopt;
    return number_at(text);
}

bool has_one_of(const std::set<std::string, std::less<>>& known, const std::vector<std::string>& words) {
    return std::ranges::any_of(words, [&](const std::string& word) { return known.contains(word); });
}

// What is said once: advice whatever it is about, the rest of each package and interface.
std::string said_key(const Rule& rule, const Finding& finding) {
    return rule.kind == FindingKind::advice ? rule.id : base::format("{} {}", rule.id, finding.subject);
}

}  // namespace

ProjectConditions::ProjectConditions(const RuleSet& rules) : rules_(rules) {
    for (const auto& rule : rules.rules) {
        watch(rule->unless_mentioned);
        watch(rule->if_mentioned);
        if (!rule->formula) continue;
        watch(rule->formula->if_mentioned);
        watch_sizes(rule->formula->megabytes);
        for (const auto& names : rule->formula->factors) watch_sizes(names);
    }
}

void ProjectConditions::watch_sizes(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
        values_[name];
        initials_ += name.front();
    }
}

void ProjectConditions::look_at(std::string_view text) {
    const std::set<std::string_view> mentioned = words_.words_in(text);
    const std::vector<Size> sizes = sizes_in(text);
    const std::lock_guard lock(mutex_);
    mentioned_.insert(mentioned.begin(), mentioned.end());
    for (const Size& size : sizes) values_.find(size.name)->second.insert(size.value);
}

bool ProjectConditions::mentions_any(const std::vector<std::string>& words) const {
    return has_one_of(mentioned_, words);
}

std::vector<ProjectConditions::Size> ProjectConditions::sizes_in(std::string_view text) const {
    std::vector<Size> out;
    if (values_.empty()) return out;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = at;
        while (end < text.size() && (is_letter(text[end]) || (end > at && (is_digit(text[end]) || text[end] == '-'))))
            ++end;
        const std::string_view word = text.substr(at, end - at);
        const bool is_option = at > 1 && text.substr(at - 2, 2) == "--";
        at = std::max(end, at + 1);
        if (word.empty() || initials_.find(word.front()) == initials_.npos) continue;  // nearly all words
        const auto value = value_behind(text.substr(end), is_option);
        if (!value) continue;
        const auto known = is_option ? values_.find(normal_name(word)) : values_.find(word);
        if (known != values_.end()) out.push_back({known->first, *value});
    }
    return out;
}

void ProjectConditions::leave_out(std::vector<ReportFile>& files, std::vector<JobFacts>& facts) {
    for (const ReportFile& file : files) {
        for (const ReportFinding& item : file.findings) found(item.outcome.finding.rule);
    }
    for (ReportFile& file : files)
        std::erase_if(file.findings, [&](const ReportFinding& item) { return !belongs(item.outcome.finding.rule); });
    for (JobFacts& one : facts)
        std::erase_if(one.transfer.left, [&](const TransferPlace& place) { return !belongs(place.rule); });
}

void ProjectConditions::say_once(std::vector<ReportFile>& files) {
    for (const ReportFile& file : files) {
        for (const ReportFinding& item : file.findings) {
            const Finding& finding = item.outcome.finding;
            const Rule* rule = rules_.find_rule(finding.rule);
            if (rule == nullptr || rule->once != Once::project) continue;
            Said& said = said_[said_key(*rule, finding)];
            said.highest = std::max(said.highest, finding.severity);
        }
    }
    for (ReportFile& file : files)
        std::erase_if(file.findings, [&](ReportFinding& item) { return !keep(file.path, item.outcome); });
    for (ReportFile& file : files) {
        for (ReportFinding& item : file.findings) {
            item.also = other_places(item.outcome.finding);
            if (!item.also.empty())
                item.outcome.finding.message.add({"The same at {places}.", {{"places", some_of(item.also)}}});
        }
    }
}

bool ProjectConditions::belongs(const std::string& rule) const {
    const Rule* known = rules_.find_rule(rule);
    return known == nullptr || belongs(*known);
}

bool ProjectConditions::belongs(const Rule& rule) const {
    return (rule.if_mentioned.empty() || mentions_any(rule.if_mentioned)) && !mentions_any(rule.unless_mentioned) &&
           !has_one_of(found_, rule.unless_said);
}

bool ProjectConditions::keep(const base::Path& file, FindingOutcome& outcome) {
    Finding& finding = outcome.finding;
    const Rule* rule = rules_.find_rule(finding.rule);
    if (rule == nullptr) return true;
    if (!belongs(*rule)) return false;
    if (rule->once == Once::project) {
        Said& said = said_[said_key(*rule, finding)];
        if (said.is_done || finding.severity < said.highest) {
            if (rule->kind != FindingKind::advice) said.elsewhere.push_back(place_of(file, outcome));
            return false;
        }
        said.is_done = true;
    }
    if (!rule->formula) return true;
    const SizeFormula& formula = *rule->formula;
    if (formula.if_mentioned.empty() || mentions_any(formula.if_mentioned)) finding.message.add(sizes(formula));
    for (const std::string& name : formula.megabytes) {
        const std::set<std::int64_t>& found = values_.find(name)->second;
        if (!found.empty())
            finding.message.add({formula.text, {{"sizes", name}, {"value", base::format("{}", *found.rbegin())}}});
    }
    return true;
}

const std::vector<std::string>& ProjectConditions::other_places(const Finding& finding) const {
    static const std::vector<std::string> kNone;
    const Rule* rule = rules_.find_rule(finding.rule);
    if (rule == nullptr || rule->once != Once::project) return kNone;
    const auto said = said_.find(said_key(*rule, finding));
    return said == said_.end() ? kNone : said->second.elsewhere;
}

// Empty unless the project has one value for each size.
base::Message ProjectConditions::sizes(const SizeFormula& formula) const {
    std::int64_t bytes = formula.bytes;
    for (const auto& [id, other] : formula.bytes_where_said) {
        const Rule* rule = rules_.find_rule(id);
        if (rule != nullptr && found_.contains(id) && belongs(*rule)) bytes = other;
    }
    std::int64_t product = bytes;
    std::string factors;
    for (const auto& names : formula.factors) {
        std::set<std::int64_t> values;
        std::string shown;
        for (const std::string& name : names) {
            const std::set<std::int64_t>& found = values_.find(name)->second;
            if (!found.empty() && shown.empty()) shown = name;
            values.insert(found.begin(), found.end());
        }
        if (values.size() != 1 || *values.begin() == 0) return {};
        if (product > (std::int64_t{1} << 62) / *values.begin()) return {};
        product *= *values.begin();
        factors += base::format("{} {} x ", shown, *values.begin());
    }
    return {formula.text,
            {{"sizes", base::format("{}{} bytes", factors, bytes)},
             {"value", base::format("{}", (product + kBytesPerMegabyte - 1) / kBytesPerMegabyte)}}};
}

}  // namespace migrator
