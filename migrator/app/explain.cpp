#include "migrator/app/explain.h"

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "base/format.h"
#include "base/json_writer.h"
#include "base/nearest_word.h"
#include "base/printable.h"
#include "base/text.h"
#include "migrator/app/explained_advice.h"
#include "migrator/app/explained_mentions.h"
#include "migrator/app/explained_operator.h"
#include "migrator/app/explained_support.h"
#include "migrator/app/explained_variable.h"
#include "migrator/app/rule_examples.h"
#include "migrator/edit/line_diff.h"
#include "migrator/report/titles.h"

namespace migrator {
namespace {

using base::Language;

constexpr std::size_t kNamesShown = 8;
constexpr std::array kStyles{StyleKind::npu, StyleKind::portable, StyleKind::automatic};

// "- old", "+ new"; or the lines alone when nothing becomes of them.
std::string shown(const RuleExample& example) {
    std::string out;
    auto add = [&](std::string_view mark, std::string_view text) {
        for (const std::string_view line : split_lines(text))
            out += base::format("  {}{}\n", mark, base::trimmed(line, "\n"));
    };
    add(example.after.empty() ? "" : "- ", example.before);
    add("+ ", example.after);
    return out;
}

void write_example(base::JsonWriter& json, const RuleExample& example) {
    json.key("before").string(example.before);
    if (example.after.empty()) json.key("after").null();
    else json.key("after").string(example.after);
}

// Where the facts come from, and where that can be read.
std::string sources_of(const Language& say, std::string_view source, const std::map<std::string, SourceEntry>& cited) {
    std::string out = say.show("Source: {}\n", source);
    for (const auto& [key, entry] : cited)
        out += say.show("  {}: {}, {} ({}), read {}\n", key, entry.title, entry.version, entry.url, entry.read);
    return out;
}

// ---- a rule

struct ExplainedRule {
    Rule rule;
    std::vector<std::string> conditions;  // sentences
    std::vector<std::string> names;       // of its table: "torch.cuda.Stream -> torch.npu.Stream"
    std::optional<RuleExample> example;
    StyleKind style = StyleKind::npu;            // of the example
    std::map<std::string, SourceEntry> sources;  // that it cites
};

std::vector<std::string> conditions_of(const Language& say, const RuleSet& rules, const Rule& rule) {
    std::vector<std::string> out;
    const auto any_of = [&](const auto& names) { return base::joined(names, say.text(" or ")); };
    if (rule.in == RulePlace::training_loop)
        out.push_back(say.text("Only in code that runs in each round of a training loop."));
    if (rule.in == RulePlace::training_program)
        out.push_back(say.text("Only in files with a training loop, and in those that a program with one imports."));
    if (rule.once == Once::project) out.push_back(say.text("Said once in a project."));
    if (!rule.unless_mentioned.empty())
        out.push_back(say.format("Not in a project with {}.", any_of(rule.unless_mentioned)));
    if (!rule.if_mentioned.empty()) out.push_back(say.format("Only in a project with {}.", any_of(rule.if_mentioned)));
    if (!rule.unless_said.empty()) out.push_back(say.format("Not where {} finds something.", any_of(rule.unless_said)));
    if (!rule.megatron.empty()) out.push_back(say.format("Only with --megatron {}.", any_of(rule.megatron)));
    if (!rule.holds_in.empty()) out.push_back(say.format("Only with PyTorch {}.", rule.holds_in.text()));
    if (!rule.versions.empty()) out.push_back(say.format("The fix is for PyTorch {}.", rule.versions.text()));
    for (const PatternRow& row : rules.patterns) {
        if (row.rule == &rule && !row.precondition.empty())
            out.push_back(say.format("Right where {}.", say.text(row.precondition)));
    }
    return out;
}

std::vector<std::string> names_of(const RuleSet& rules, const Rule& rule) {
    std::vector<std::string> out;
    for (const auto& [from, row] : rules.names.all()) {
        if (row.rule == &rule) out.push_back(row.to ? base::format("{} -> {}", from, *row.to) : from);
    }
    return out;
}

// As the first style has the rule, with an example of the first style in which a case expects it. nullopt: no rule is
// called that. `usual`: of the first style and route.
base::Result<std::optional<ExplainedRule>> explained_rule(const Language& say, const Options& options,
                                                          base::FileSystem& fs, const Knowledge& usual) {
    std::optional<ExplainedRule> out;
    if (!usual.rules.find_rule(options.explained) && !usual.rules.left_out.contains(options.explained)) return out;
    for (const std::string_view road : kMegatronRoads) {
        for (const StyleKind style : kStyles) {
            std::optional<Knowledge> other;
            if (style != kStyles.front() || road != kMegatronRoads.front()) {
                TRY_ASSIGN(other, load_knowledge(fs, options.rules, style, road));
            }
            const Knowledge& knowledge = other ? *other : usual;
            const Rule* rule = knowledge.rules.find_rule(options.explained);
            if (rule == nullptr) continue;
            if (!out)
                out = {*rule, conditions_of(say, knowledge.rules, *rule), names_of(knowledge.rules, *rule), {}, {}, {}};
            out->example = example_of(knowledge, *rule);
            out->style = style;
            out->sources = cited_sources(knowledge.rules.sources, rule->source);
            if (out->example) return out;
        }
        if (out) break;
    }
    return out;
}

std::string page(const Language& say, const ExplainedRule& item) {
    const Rule& rule = item.rule;
    const std::string message = say.message(general_message(rule));
    std::string out =
        say.show("{} ({}, {})\n\n{}\n\n", rule.id, say.text(name(rule.severity)), kind_word(say, rule.kind), message);
    for (const std::string& condition : item.conditions) out += base::show("{}\n", condition);
    out += say.format("A fix needs: {}\n", say.text(name(rule.certainty)));
    out += say.format("By hand: {}\n", say.text(name(rule.effort)));
    for (const ImportRequest& request : rule.imports)
        out += say.show("A fix imports: {}, after the import of {}\n", request.module, request.after);
    out += sources_of(say, rule.source, item.sources);
    if (item.example) {
        const std::string of_style =
            item.style == StyleKind::npu ? "" : say.format(" of the style {}", name(item.style));
        out += say.format("Example{}:\n{}", of_style, shown(*item.example));
        const std::string says = say.message(item.example->says);
        if (says != message) out += say.show("  It says: {}\n", says);
    }
    if (!item.names.empty()) out += say.text("Names:\n");
    for (std::size_t i = 0; i < std::min(item.names.size(), kNamesShown); ++i)
        out += base::show("  {}\n", item.names[i]);
    if (item.names.size() > kNamesShown) out += say.format("  ... and {} more\n", item.names.size() - kNamesShown);
    return out;
}

std::string page_json(const ExplainedRule& item) {
    const Rule& rule = item.rule;
    base::JsonWriter json;
    json.begin_object();
    json.key("id").string(rule.id);
    json.key("severity").string(name(rule.severity));
    json.key("kind").string(name(rule.kind));
    json.key("certainty").string(name(rule.certainty));
    json.key("effort").string(name(rule.effort));
    json.key("message").string(general_message(rule).text());
    json.key("source").string(rule.source);
    json.key("versions").string(rule.versions.text());
    json.key("conditions").begin_array();
    for (const std::string& condition : item.conditions) json.string(condition);
    json.end_array();
    json.key("names").begin_array();
    for (const std::string& row : item.names) json.string(row);
    json.end_array();
    json.key("example");
    if (item.example) {
        json.begin_object();
        json.key("style").string(name(item.style));
        write_example(json, *item.example);
        json.key("says").string(item.example->says.text());
        json.end_object();
    } else {
        json.null();
    }
    return std::move(json.end_object()).take() + "\n";
}

// ---- any other word

struct Statement {
    std::string as;  // "a name in Python"
    Finding finding;
    RuleExample example;
};

struct ExplainedWord {
    std::vector<Statement> statements;
    std::vector<Support> support;
    std::set<std::string> rules;  // that look at calls of it
    std::string package;          // what is known of a package about which nothing has to be said
    const VariableValues* variable = nullptr;
    std::vector<std::string> spoken_of_by;  // rules whose message has it
};

bool is_plain_word(std::string_view word) {
    return std::all_of(word.begin(), word.end(),
                       [](char c) { return base::is_word_char(c) || c == '.' || c == '-' || c == ':' || c == '/'; });
}

bool is_name(std::string_view word) {
    return std::all_of(word.begin(), word.end(), [](char c) { return base::is_word_char(c) || c == '.'; });
}

// What the rules say where the word is a name, a package, a variable, a command, a name of C++.
std::vector<Statement> statements_of(const Knowledge& knowledge, const std::string& word) {
    struct Use {
        std::string as;
        base::Path file;
        std::string text;
    };
    std::vector<Use> uses;
    if (is_name(word)) {
        const bool is_module = word.find('.') == word.npos;
        uses.push_back({is_module ? "an import in Python" : "a name in Python", "use.py", use_of_name(word)});
        uses.push_back({"an environment variable", "use.sh", base::format("export {}=$VALUE\n", word)});
    }
    uses.push_back({"a package", "requirements.txt", word + "\n"});
    uses.push_back({"a word in scripts", "use.sh", word + "\n"});
    uses.push_back({"a name in C++ and CUDA", "use.cu", base::format("void use() {{ {}(); }}\n", word)});
    std::vector<Statement> out;
    for (const Use& use : uses) {
        for (FindingOutcome& item : findings_in(knowledge, use.file, use.text)) {
            const bool is_said = std::any_of(out.begin(), out.end(), [&](const Statement& other) {
                return other.finding.message == item.finding.message;
            });
            // Of the file that was made up nobody asked.
            if (!is_said && item.finding.subject != use.file)
                out.push_back({use.as, std::move(item.finding), {item.old_text, item.new_text, {}}});
        }
    }
    return out;
}

std::set<std::string> rules_about(const RuleSet& rules, const std::string& word) {
    std::set<std::string> out;
    auto add = [&](const auto& rows) {
        for (const auto& row : rows) out.insert(row.rule->id);
    };
    add(rules.arguments.of(word));
    add(rules.calls.of(word));
    add(rules.methods.of(word));
    add(rules.method_arguments.of(word));
    add(rules.method_calls.of(word));
    for (const ValueRow& row : rules.values) {
        if (row.parameters.contains(word) || row.methods.contains(word)) out.insert(row.rule->id);
    }
    for (const PatternRow& row : rules.patterns) {
        if (std::any_of(row.code.begin(), row.code.end(),
                        [&](const std::string& code) { return code.find(word + "(") != code.npos; }))
            out.insert(row.rule->id);
    }
    return out;
}

ExplainedWord explained_word(const Language& say, const Knowledge& knowledge, const std::string& word) {
    ExplainedWord out;
    if (!is_plain_word(word)) return out;
    out.statements = statements_of(knowledge, word);
    out.support = support_of(say, knowledge.rules, word);
    out.rules = rules_about(knowledge.rules, word);
    out.variable = explained_variable(knowledge.rules, word);
    out.spoken_of_by = rules_speaking_of(knowledge.rules, word);
    const PackageRow* package = knowledge.rules.packages.find(word);
    if (package != nullptr && package->quiet) out.package = package->advice;
    return out;
}

bool is_empty(const ExplainedWord& item) {
    return item.statements.empty() && item.support.empty() && item.rules.empty() && item.package.empty() &&
           item.variable == nullptr && item.spoken_of_by.empty();
}

std::string page(const Language& say, const RuleSet& rules, const std::string& word, const ExplainedWord& item) {
    std::string out = base::show("{}\n", word);
    if (item.variable != nullptr) out += variable_page(say, rules, *item.variable);
    for (const Statement& statement : item.statements) {
        out += say.show("\nAs {} ({}, {}):\n  {}\n", say.text(statement.as), statement.finding.rule,
                        say.text(name(statement.finding.severity)), say.message(statement.finding.message));
        if (!statement.example.after.empty()) out += shown(statement.example);
        out += say.show("  Source: {}\n", statement.finding.source);
    }
    if (!item.package.empty()) out += say.show("\nAs a package:\n  {}\n", say.text(item.package));
    if (!item.support.empty()) out += say.text("\nOn the NPU, by version of PyTorch:\n");
    for (const Support& support : item.support) {
        const bool is_one = support.first == support.last;
        out += say.show("  {}{}: {}\n", support.first.text(), is_one ? "" : say.format(" to {}", support.last.text()),
                        support.text);
    }
    if (!item.rules.empty()) out += say.show("\nRules that look at its calls: {}\n", base::joined(item.rules, ", "));
    if (!item.spoken_of_by.empty())
        out += say.show("\nRules whose message speaks of it: {}\n", base::joined(item.spoken_of_by, ", "));
    return out;
}

std::string page_json(const RuleSet& rules, const std::string& word, const ExplainedWord& item,
                      const OperatorKnowledge& operators) {
    base::JsonWriter json;
    json.begin_object();
    json.key("word").string(word);
    json.key("says").begin_array();
    for (const Statement& statement : item.statements) {
        json.begin_object();
        json.key("as").string(statement.as);
        json.key("rule").string(statement.finding.rule);
        json.key("severity").string(name(statement.finding.severity));
        json.key("message").string(statement.finding.message.text());
        json.key("source").string(statement.finding.source);
        write_example(json, statement.example);
        json.end_object();
    }
    json.end_array();
    json.key("package");
    if (item.package.empty()) json.null();
    else json.string(item.package);
    json.key("support").begin_array();
    for (const Support& support : item.support) {
        json.begin_object();
        json.key("first").string(support.first.text());
        json.key("last").string(support.last.text());
        json.key("text").string(support.text);
        json.end_object();
    }
    json.end_array();
    json.key("rules").begin_array();
    for (const std::string& rule : item.rules) json.string(rule);
    json.end_array();
    json.key("spoken_of_by").begin_array();
    for (const std::string& rule : item.spoken_of_by) json.string(rule);
    json.end_array();
    json.key("variable");
    if (item.variable == nullptr) json.null();
    else write_variable(json, rules, *item.variable);
    write_operator_page(json.key("operators"), operators, word);
    return std::move(json.end_object()).take() + "\n";
}

std::vector<std::string> ids_of(const RuleSet& rules) {
    std::vector<std::string> out;
    for (const auto& rule : rules.rules) out.push_back(rule->id);
    return out;
}

// A rule's id that was mistyped, although its first part is a word of its own: cuda, the package, of cuda.renamd.
bool is_mistyped_rule(const RuleSet& rules, std::string_view word) {
    const std::vector<std::string> ids = ids_of(rules);
    const std::string_view nearest = base::nearest_word(word, ids);
    const std::size_t dot = nearest.find('.');
    return dot != nearest.npos && word.starts_with(nearest.substr(0, dot + 1));
}

// "; did you mean ..."; else the rules of the same group, or whose id holds the word, and how to list all.
std::string alike(const RuleSet& rules, std::string_view id) {
    if (const std::string meant = base::did_you_mean(id, ids_of(rules)); !meant.empty()) return meant;
    std::set<std::string_view> found;
    const std::string_view group = id.substr(0, id.find('.'));
    for (const auto& rule : rules.rules) {
        const std::string_view other = rule->id;
        if (other.substr(0, other.find('.')) == group || other.find(id) != other.npos) found.insert(other);
    }
    if (found.empty()) return "; `migrator rules` lists them";
    const auto end = found.size() > kNamesShown ? std::next(found.begin(), kNamesShown) : found.end();
    return base::format("; there are rules {}; `migrator rules` lists all",
                        base::joined(std::vector<std::string_view>(found.begin(), end), ", "));
}

}  // namespace

base::Result<std::string> explain_page(const Options& options, base::FileSystem& fs) {
    // What programs read is English.
    const Language say = options.json ? Language() : options.language;
    TRY_ASSIGN(const Knowledge knowledge, load_knowledge(fs, options.rules));
    TRY_ASSIGN(const std::optional<ExplainedRule> rule, explained_rule(say, options, fs, knowledge));
    if (rule) return options.json ? page_json(*rule) : page(say, *rule);
    const std::string& word = options.explained;
    TRY_ASSIGN(const auto advice, advice_page(say, knowledge.store, word, options.json));
    if (advice) return *advice;
    TRY_ASSIGN(const OperatorKnowledge operators, OperatorKnowledge::load(knowledge.store));
    const ExplainedWord item =
        is_mistyped_rule(knowledge.rules, word) ? ExplainedWord{} : explained_word(say, knowledge, word);
    if (is_empty(item) && !operators.knows(word))
        return base::fail(base::ErrorKind::usage, base::format("no rule has the name '{0}' or mentions '{0}'{1}", word,
                                                               alike(knowledge.rules, word)));
    return options.json ? page_json(knowledge.rules, word, item, operators)
                        : page(say, knowledge.rules, word, item) + operator_page(say, operators, word);
}

}  // namespace migrator
