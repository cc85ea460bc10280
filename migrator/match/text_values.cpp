#include <algorithm>
#include <set>

#include "base/text.h"
#include "migrator/match/text_ends.h"
#include "migrator/match/text_file.h"
#include "migrator/text/command_settings.h"
#include "migrator/values/value_ends.h"
#include "migrator/values/value_flow.h"
#include "migrator/values/value_form.h"
#include "migrator/values/value_shape.h"

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

// "*.where" of `where: cuda` and `--where cuda`: whoever reads a member of this name reads it. "*.where[]" of an element of a
// list; what stands alone may become one where it is read.
std::vector<std::string> members_of(std::string_view name, unsigned lists) {
    std::string member(kAnyObject);
    for (const char c : name) member += c == '-' ? '_' : c;
    ValueShape shape;
    for (unsigned i = 0; i < std::max(lists, 1U); ++i) {
        if (!shape.push(ValueShape::Level::item)) return {};
    }
    std::vector<std::string> out{member + shape.text()};
    if (lists == 0) out.push_back(std::move(member));
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

    bool carries(std::string_view name, unsigned lists = 0) const {
        if (name.empty()) return false;
        if (row_.is_carrier(name) || variables_.contains(name)) return true;
        return file_.value_ends != nullptr && std::ranges::any_of(members_of(name, lists), [&](const std::string& end) {
                   return file_.value_ends->find(row_.rule->id, end).has_value();
               });
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
        const std::string_view name = contents().name_of(setting.key);
        if (tokens.empty() || is_only_shown(name, setting.lists) || is_of_others(setting.key)) return;
        const bool is_known = carries(name, setting.lists) || carries(variable_in(setting.text));
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

    // lightgbm: {device_type: cuda}
    bool is_of_others(KeyId key) const {
        constexpr int kMostLevels = 8;
        for (int level = 0; level < kMostLevels && key != kNoKey; ++level, key = contents().keys[key].parent) {
            if (base::contains(row_.others, contents().name_of(key))) return true;
        }
        return false;
    }

    // Whether the Python file around it reads the key, and only shows what it reads.
    bool is_only_shown(std::string_view name, unsigned lists) const {
        if (file_.around == nullptr || name.empty()) return false;
        bool is_shown = false;
        for (const std::string& end : members_of(name, lists)) {
            ValueFlow flow(*file_.around, row_);
            if (flow.destination_of_end(end) || flow.is_lost() || !flow.ends().empty()) return false;
            is_shown |= flow.is_shown();
        }
        return is_shown;
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
            if (!is_plain || row.is_carrier(name) || value_tokens(default_in(setting.text), row).empty()) continue;
            for (std::string& end : members_of(name, setting.lists)) out.insert({row.rule->id, std::move(end)});
        }
    }
    return out;
}

void match_text_values(const TextFile& file, FindingSink& sink) {
    for (const ValueRow& row : file.rules->values) TextValueMatcher(file, row, sink).run();
}

}  // namespace migrator
