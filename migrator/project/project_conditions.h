// ProjectConditions: what rules ask of the project as a whole: said once, nothing mentioned anywhere, sizes it writes down.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/text_search.h"
#include "migrator/project/job.h"
#include "migrator/report/report.h"
#include "migrator/ruleset/rule_set.h"

namespace migrator {

class ProjectConditions {
public:
    // The rules must outlive this.
    explicit ProjectConditions(const RuleSet& rules);

    // Further texts to look for, before the first look.
    void watch(const std::vector<std::string>& words) {
        for (const std::string& word : words) words_.add(word);
    }

    // The text of each file, in any order and from several threads.
    void look_at(std::string_view text);

    // Whether one of the files has one of the texts, which are watched or some rule's.
    bool mentions_any(const std::vector<std::string>& words) const;

    // The rule has found something, before the first `keep`.
    void found(const std::string& rule) { found_.insert(rule); }

    // Then: takes away the findings that do not belong, and of what transfer_to_npu leaves.
    void leave_out(std::vector<ReportFile>& files, std::vector<JobFacts>& facts);
    // Then, in the order of the project: of what is said once the first of the most severe stays, with the places of the others, but
    // for advice, which is of the whole. What the rule's formula gives is added to its message.
    void say_once(std::vector<ReportFile>& files);
    // All of it for one finding of a file: whether it stays.
    bool keep(const base::Path& file, FindingOutcome& outcome);

private:
    void watch_sizes(const std::vector<std::string>& names);
    // What the project mentions, and what is said of it, lets the rule speak.
    bool belongs(const Rule& rule) const;
    bool belongs(const std::string& rule) const;
    const std::vector<std::string>& other_places(const Finding& finding) const;
    struct Size {
        std::string_view name;
        std::int64_t value;
    };
    std::vector<Size> sizes_in(std::string_view text) const;
    base::Message sizes(const SizeFormula& formula) const;

    const RuleSet& rules_;
    base::TextSearch words_;                                             // that some rule asks for
    std::map<std::string, std::set<std::int64_t>, std::less<>> values_;  // by the name of a size
    std::string initials_;                                               // of these names
    std::mutex mutex_;
    std::set<std::string, std::less<>> mentioned_;
    std::set<std::string, std::less<>> found_;
    // What is said once, at the first of its most severe places.
    struct Said {
        Severity highest = Severity::info;
        bool is_done = false;
        std::vector<std::string> elsewhere;  // its other places
    };
    std::map<std::string, Said, std::less<>> said_;
};

}  // namespace migrator
