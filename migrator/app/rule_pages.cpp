#include "migrator/app/rule_pages.h"

#include <algorithm>
#include <vector>

#include "base/format.h"
#include "base/human.h"
#include "base/json_writer.h"
#include "base/printable.h"
#include "base/shell_word.h"
#include "migrator/app/rule_cases.h"
#include "migrator/app/rule_files.h"
#include "migrator/project/knowledge.h"
#include "migrator/report/titles.h"

namespace migrator {
namespace {

std::vector<const Rule*> sorted_rules(const RuleSet& rules) {
    std::vector<const Rule*> out;
    for (const auto& rule : rules.rules) out.push_back(rule.get());
    std::sort(out.begin(), out.end(), [](const Rule* a, const Rule* b) { return a->id < b->id; });
    return out;
}

std::string list(const base::Language& say, const RuleSet& rules) {
    std::string out;
    for (const Rule* rule : sorted_rules(rules))
        out += say.show("{}  {}  {}\n", rule->id, say.text(name(rule->severity)), kind_word(say, rule->kind));
    return out;
}

void write_rule(base::JsonWriter& json, const Rule& rule) {
    json.begin_object();
    json.key("id").string(rule.id);
    json.key("severity").string(name(rule.severity));
    json.key("kind").string(name(rule.kind));
    json.key("certainty").string(name(rule.certainty));
    json.key("effort").string(name(rule.effort));
    json.key("message").string(rule.message);
    json.key("source").string(rule.source);
    json.key("versions").string(rule.versions.text());
    json.end_object();
}

std::string line_of_json(base::JsonWriter json) { return std::move(json).take() + "\n"; }

std::string list_json(const RuleSet& rules) {
    base::JsonWriter json;
    json.begin_array();
    for (const Rule* rule : sorted_rules(rules)) write_rule(json, *rule);
    json.end_array();
    return line_of_json(std::move(json));
}

// What check and test print: a line for each problem, and how many of what there were.
class ProblemPage {
public:
    explicit ProblemPage(const Options& options) : as_json_(options.json), say_(options.language) {
        json_.begin_object().key("problems").begin_array();
    }

    void problem(std::string_view where, std::string_view message) {
        ++problems_;
        text_ += say_.show("{}: {}\n", where, say_.said_of_name(message));
        json_.begin_object().key("where").string(where).key("message").string(message).end_object();
    }

    RulePages finish(const std::string& what, std::uint64_t count) {
        json_.end_array().key(base::format("{}s", what)).unsigned_integer(count).end_object();
        text_ += say_.format("{}, {}\n", say_.plural(count, what), say_.plural(problems_, "problem"));
        return {as_json_ ? line_of_json(std::move(json_)) : std::move(text_), problems_ > 0};
    }

private:
    bool as_json_;
    base::Language say_;
    std::uint64_t problems_ = 0;
    std::string text_;
    base::JsonWriter json_;
};

base::Result<RulePages> check_page(const Options& options, base::FileSystem& fs) {
    TRY_ASSIGN(const RuleFileCheck check, check_rule_files(fs, options.rules));
    ProblemPage page(options);
    for (const base::Error& error : check.problems) page.problem(error.where, error.message);
    return page.finish("file", check.files);
}

base::Result<RulePages> test_page(const Options& options, base::FileSystem& fs) {
    TRY_ASSIGN(const CaseRun run, run_rule_cases(fs, options.rules));
    ProblemPage page(options);
    for (const CaseProblem& problem : run.problems) page.problem(problem.file, problem.message);
    for (const std::string& id : run.untested) page.problem(id, "no case expects a finding of this rule");
    return page.finish("case", run.cases);
}

base::Result<RulePages> new_page(const Options& options, base::FileSystem& fs) {
    TRY_ASSIGN(const std::vector<base::Path> written, write_rule_template(fs, options.paths.front()));
    const base::Path directory = base::parent(options.paths.front());
    return RulePages{options.language.show("Written: {}\nNext     migrator rules test {}\n",
                                           base::joined(written, ", "), base::shell_path(directory))};
}

}  // namespace

base::Result<RulePages> rule_pages(const Options& options, base::FileSystem& fs) {
    if (options.command == Command::rules_check) return check_page(options, fs);
    if (options.command == Command::rules_test) return test_page(options, fs);
    if (options.command == Command::rules_new) return new_page(options, fs);
    TRY_ASSIGN(const Knowledge knowledge, load_knowledge(fs, options.rules));
    return RulePages{options.json ? list_json(knowledge.rules) : list(options.language, knowledge.rules)};
}

}  // namespace migrator
