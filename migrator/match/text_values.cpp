#include <algorithm>
#include <set>

#include "base/text.h"
#include "migrator/match/text_ends.h"
#include "migrator/match/text_file.h"
#include "migrator/text/command_settings.h"
#include "migrator/values/value_ends.h"
#include "migrator/values/value_flow.h"
#include "migrator/values/value_form.h"

namespace migrator {
namespace {

constexpr int kMaxVariables = 4;  // one is given to the other, at most so often

bool is_settings(FileType type) {
    return type == FileType::yaml || type == FileType::toml || type == FileType::json || type == FileType::setup_cfg ||
           type == FileType::ini;
}

// "cuda" in ${NAME:-cuda}, ${NAME-cuda}, ${NAME:=cuda} and ${oc.env:NAME,cuda}; else the text itself.
std::string_view default_in(std::string_view text) {
    if (!text.starts_with("${") || !text.ends_with('}')) return text;
    const std::string_view inner = text.substr(2, text.size() - 3);
    std::size_t end = 0;
    while (end < inner.size() && (base::is_word_char(inner[end]) || inner[end] == '.')) ++end;
    const std::string_view rest = inner.substr(end);
    for (const std::string_view sign : {":-", ":=", "-", "="}) {
        if (rest.starts_with(sign)) return base::trimmed(rest.substr(sign.size()), "\"'");
    }
    const std::size_t comma = rest.starts_with(':') ? rest.find(',') : rest.npos;
    return comma == rest.npos ? text : base::trimmed(rest.substr(comma + 1), " \t\"'");
}

// "*.where" of `where: cuda` and `--where cuda`: whoever reads a member of this name reads it.
std::string member_of(std::string_view name) {
    std::string out(kAnyObject);
    for (const char c : name) out += c == '-' ? '_' : c;
    return out;
}

class TextValueMatcher {
public:
    TextValueMatcher(const TextFile& file, const ValueRow& row, FindingSink& sink)
        : file_(file), row_(row), sink_(sink) {
        if (is_script(file.type)) find_variables();
    }

    void run() {
        for (const TextSetting& setting : file_.contents.settings) match(setting);
    }

private:
    const TextContents& contents() const { return file_.contents; }

    bool carries(std::string_view name) const {
        if (name.empty()) return false;
        if (row_.is_carrier(name) || variables_.contains(name)) return true;
        return file_.value_ends != nullptr && file_.value_ends->find(row_.rule->id, member_of(name));
    }

    // GPU=cuda:0; python t.py --device $GPU: what the variables hold that are given to a carrier.
    void find_variables() {
        for (int round = 0; round < kMaxVariables; ++round) {
            const std::size_t known = variables_.size();
            for (const TextSetting& setting : contents().settings) {
                const std::string_view variable = variable_in(setting.text);
                if (!variable.empty() && carries(contents().name_of(setting.key))) variables_.insert(variable);
            }
            if (variables_.size() == known) return;
        }
    }

    void match(const TextSetting& setting) {
        const std::string_view text = default_in(setting.text);
        const std::vector<ValueToken> tokens = value_tokens(text, row_);
        if (tokens.empty() || is_only_shown(contents().name_of(setting.key))) return;
        const bool is_known = carries(contents().name_of(setting.key)) || carries(variable_in(setting.text));
        // A name with a number is a device wherever settings have it; `cuda:` alone is a key.
        const bool has_number = text.find(':') != text.npos && !text.ends_with(':');
        const bool is_set = is_settings(file_.type) || (is_script(file_.type) && setting.key != kNoKey);
        if (!is_known && !(row_.form == ValueForm::device && is_set && has_number)) return;
        const std::string to = replaced(text, tokens);
        Finding finding = make_finding(*row_.rule, contents().place(text), std::string(text),
                                       is_known ? Certainty::likely : Certainty::textual, to, {}, {});
        if (!is_known)
            finding.message.add(
                {"What reads it could not be seen: if it is used as one there, write {to}.", {{"to", to}}});
        if (row_.fix.replace_by.empty() && !row_.rule->at_run_time) finding.fix = fix(text, tokens);
        sink_.push_back(std::move(finding));
    }

    // Whether the Python file around it reads the key, and only shows what it reads.
    bool is_only_shown(std::string_view name) const {
        if (file_.around == nullptr || name.empty()) return false;
        ValueFlow flow(*file_.around, row_);
        const bool is_taken = flow.destination_of_end(member_of(name)) || flow.is_lost() || !flow.ends().empty();
        return flow.is_shown() && !is_taken;
    }

    // Settings may be a text of a Python file, which then works with what they name.
    Fix fix(std::string_view text, const std::vector<ValueToken>& tokens) const {
        Fix out;
        if (is_settings(file_.type)) out.imports = row_.rule->imports;
        for (const ValueToken& token : tokens) {
            const std::string_view part = text.substr(token.begin, token.end - token.begin);
            out.edits.push_back({contents().place(part), token.replacement});
        }
        return out;
    }

    const TextFile& file_;
    const ValueRow& row_;
    FindingSink& sink_;
    std::set<std::string_view> variables_;  // of the script, that carry such values
};

}  // namespace

std::set<ValueEnd> open_text_ends(const SourceFile& file, const RuleSet& rules) {
    if (!is_settings(file.type) && !is_script(file.type)) return {};
    if (std::ranges::none_of(rules.values, [&](const ValueRow& row) { return has_token(file.text, row); })) return {};
    return open_text_ends(read_text(file.type, file.text, rules.script_places.directives), rules);
}

std::set<ValueEnd> open_text_ends(const TextContents& contents, const RuleSet& rules) {
    std::set<ValueEnd> out;
    for (const ValueRow& row : rules.values) {
        for (const TextSetting& setting : contents.settings) {
            const std::string_view name = contents.name_of(setting.key);
            const bool is_plain =
                !name.empty() && std::ranges::all_of(name, [](char c) { return base::is_word_char(c) || c == '-'; });
            if (is_plain && !row.is_carrier(name) && !value_tokens(default_in(setting.text), row).empty())
                out.insert({row.rule->id, member_of(name)});
        }
    }
    return out;
}

void match_text_values(const TextFile& file, FindingSink& sink) {
    for (const ValueRow& row : file.rules->values) TextValueMatcher(file, row, sink).run();
}

}  // namespace migrator
