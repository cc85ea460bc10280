// RuleLoader: reads rule files into a RuleSet. Private to this folder.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "base/json_object.h"
#include "migrator/ruleset/rule_set.h"

namespace migrator {

class RuleLoader {
public:
    explicit RuleLoader(Style style) { set_.style_ = std::move(style); }
    base::Status load_file(std::string_view text, const std::string& origin);
    // After all files.
    base::Result<RuleSet> take();

private:
    // The "match" and "fix" objects of one rule; a fix reads as empty when the rule has none.
    struct Words {
        base::JsonObject match;
        base::JsonObject fix;     // of the chosen style
        base::JsonObject on_npu;  // of the style npu
        const Rule* rule;
    };
    using WordLoader = base::Status (RuleLoader::*)(Words&);
    using RowLoader = base::Status (RuleLoader::*)(base::JsonObject& row, const Rule* rule, const std::string& status);

    // rule_loader.cpp: what rules and tables have in common
    base::Status load_rule(const base::JsonDocument& document, const base::Json& json);
    base::Status load_table(const base::JsonDocument& document, const base::Json& json);
    base::Result<const Rule*> load_header(base::JsonObject& object);
    // Two rules that would say something of the same thing: an error at the second one. `what`: the thing, in words.
    base::Status claim(const base::JsonObject& at, const std::string& what, const Rule* rule);
    // What no file alone shows: rules that can never find anything.
    base::Status check_reachable() const;
    static base::Result<Effort> effort_of(base::JsonObject& object, Effort otherwise);
    base::Result<std::vector<ImportRequest>> imports_of(base::JsonObject& object) const;
    base::Result<bool> is_for_style(base::JsonObject& rule) const;
    const base::Json* fix_of_style(base::JsonObject& rule, bool at_run_time) const;
    base::Status load_rows(const base::JsonDocument& document, const base::Json& rows, RowLoader loader,
                           const Rule* rule, const std::string& status);
    base::Status load_framework(const base::JsonDocument& document, const base::Json& json);
    base::Status load_text_places(const base::JsonDocument& document, const base::Json& json);
    base::Status load_adapted(const base::JsonDocument& document, const base::Json& json);
    base::Status load_environment_places(const base::JsonDocument& document, const base::Json& json);
    base::Status load_script_places(const base::JsonDocument& document, const base::Json& json);

    // load_words.cpp: one function per word of "match"
    base::Status load_name(Words& words);
    base::Status load_module(Words& words);
    base::Status load_prefix(Words& words);
    base::Status load_method(Words& words);
    base::Status load_argument(Words& words);
    base::Status load_string(Words& words);
    base::Status load_import(Words& words);
    base::Status load_own_import(Words& words);
    base::Status load_text(Words& words);
    base::Status load_file_names(Words& words);
    base::Status load_registration(Words& words);
    base::Status load_kernel(Words& words);
    base::Status load_program(Words& words);
    base::Status load_call(Words& words);
    base::Status load_index(Words& words);
    base::Status load_taken_apart(Words& words);
    base::Status load_training(Words& words);
    base::Status load_api(Words& words);
    base::Status load_library(Words& words);

    // load_patterns.cpp
    base::Status load_pattern(Words& words);
    base::Status load_definition(Words& words);
    base::Status load_operation(const base::JsonDocument& document, const base::Json& json);
    base::Status add_spelling(const base::JsonObject& object, const std::string& key,
                              const std::vector<std::string>& parameters);
    static WordLoader find_word(std::string_view word);
    base::Status load_names(Words& words, std::string_view word, NameRow::Reach reach);

    // load_conditions.cpp: where a rule holds, and how often it is said
    static base::Status load_conditions(base::JsonObject& object, Rule& rule);

    // load_value.cpp
    base::Status load_value(Words& words);
    using Parameters = std::map<std::string, std::vector<ParameterRow>, std::less<>>;
    static base::Status load_parameters(const base::JsonDocument& document, const base::Json* list,
                                        Parameters& by_function, Parameters* by_method);

    // load_rows.cpp: rows of tables
    base::Status load_name_row(base::JsonObject& row, const Rule* rule, const std::string& status);
    base::Status load_module_row(base::JsonObject& row, const Rule* rule, const std::string& status);
    base::Status load_package_row(base::JsonObject& row, const Rule* rule, const std::string& status);
    base::Status load_environment_row(base::JsonObject& row, const Rule* rule, const std::string& status);
    base::Status load_symbol_row(base::JsonObject& row, const Rule* rule, const std::string& status);
    base::Status load_variable_row(base::JsonObject& row, const Rule* rule, const std::string& status);
    static RowLoader find_row(std::string_view word);
    base::Status load_any_name_row(base::JsonObject& row, const Rule* rule, NameRow::Reach reach);
    void choose_target(const std::string& name, NameRow& row, const std::optional<std::string>& portable) const;
    base::Status add_name(const base::JsonObject& object, std::string name, NameRow row);

    RuleSet set_;
    std::map<std::string, const Rule*> claimed_;
};

// A list of strings that must not be empty.
base::Result<std::vector<std::string>> required_strings(base::JsonObject& object, std::string_view key);
// An object of strings: {"cuda": "npu"}; empty when the key is absent.
base::Result<std::map<std::string, std::string, std::less<>>> string_map(base::JsonObject& object,
                                                                         std::string_view key);
// A range of versions; empty when the key is absent.
base::Result<VersionRange> version_range(base::JsonObject& object);
// A number from 0; nullopt when the key is absent.
base::Result<std::optional<std::size_t>> optional_position(base::JsonObject& object);
// A string; nullopt when the key is absent.
base::Result<std::optional<std::string>> optional_string(base::JsonObject& object, std::string_view key);

}  // namespace migrator
