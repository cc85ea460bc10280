#include "migrator/ruleset/rule_loader.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "base/format.h"
#include "base/text.h"

namespace migrator {
namespace {

constexpr std::int64_t kSchema = 1;
constexpr std::string_view kRules = "rules/";
constexpr auto kRuleFolders =
    std::to_array<std::string_view>({"rewrite", "third_party", "env", "custom_ops", "advice", "api", "affinity"});

template <class Word, class... Words>
base::Result<Word> one_of(base::JsonObject& object, std::string_view key, Words... words) {
    TRY_ASSIGN(std::string text, object.string(key));
    std::string known;
    for (Word word : {words...}) {
        if (name(word) == text) return word;
        known += base::format("{}\"{}\"", known.empty() ? "" : ", ", name(word));
    }
    return object.error(base::format("\"{}\" is \"{}\", which is not one of {}", key, text, known));
}

base::Result<Certainty> certainty_of(base::JsonObject& object) {
    TRY_ASSIGN(std::string word, object.string_or("certainty", "resolved"));
    if (word == "resolved") return Certainty::resolved;
    if (word == "likely") return Certainty::likely;
    if (word == "textual") return Certainty::textual;
    return object.error(
        base::format("\"certainty\" is \"{}\", which is not one of \"resolved\", \"likely\", \"textual\"", word));
}

base::Result<FindingKind> kind_of(base::JsonObject& object) {
    using K = FindingKind;
    return one_of<K>(object, "kind", K::cuda_api, K::device_string, K::backend, K::amp, K::profiler, K::third_party,
                     K::cuda_extension, K::environment, K::api_support, K::affinity, K::advice, K::file);
}

// Every {word} of a message is one that fill_message knows.
base::Status check_message(const base::JsonObject& object, const std::string& message) {
    for (std::size_t open = message.find('{'); open != message.npos; open = message.find('{', open + 1)) {
        std::size_t close = message.find('}', open);
        std::string word = message.substr(open, close == message.npos ? close : close - open + 1);
        if (word == "{name}" || word == "{to}" || word == "{note}") continue;
        return object.error(
            base::format("the message has {}, but only {{name}}, {{to}} and {{note}} are filled in", word));
    }
    return {};
}

// Several files of rules add to one list.
base::Status append_strings(base::JsonObject& object, std::string_view key, std::vector<std::string>& out) {
    TRY_ASSIGN(const auto more, object.strings(key));
    out.insert(out.end(), more.begin(), more.end());
    return {};
}

}  // namespace

base::Result<Effort> RuleLoader::effort_of(base::JsonObject& object, Effort otherwise) {
    using E = Effort;
    if (object.optional("effort") == nullptr) return otherwise;
    return one_of<E>(object, "effort", E::none, E::check, E::edit, E::replace, E::port, E::rewrite);
}

// In the style portable the helper module is all that a fix needs, and only where the fix names it.
base::Result<std::vector<ImportRequest>> RuleLoader::imports_of(base::JsonObject& object) const {
    std::vector<ImportRequest> out;
    const base::Json* list = object.optional("imports");
    if (list == nullptr) return out;
    if (list->array() == nullptr) return object.error(*list, "\"imports\" must be a list of objects");
    for (const base::Json& item : *list->array()) {
        TRY_ASSIGN(auto request, base::JsonObject::of(object.document(), item));
        TRY_ASSIGN(std::string module, request.string("module"));
        TRY_ASSIGN(std::string after, request.string("after"));
        TRY(request.finish());
        out.push_back({std::move(module), std::move(after), false});
    }
    const Style& style = set_.style_;
    if (style.kind == StyleKind::portable) out = {{style.helper, style.after, true}};
    return out;
}

// "styles": the only ones that the rule is for.
base::Result<bool> RuleLoader::is_for_style(base::JsonObject& rule) const {
    TRY_ASSIGN(auto styles, rule.strings("styles"));
    for (const std::string& style : styles) {
        if (style != name(StyleKind::npu) && style != name(StyleKind::portable) && style != name(StyleKind::automatic))
            return rule.error(base::format("\"{}\" is no style", style));
    }
    return styles.empty() || std::find(styles.begin(), styles.end(), name(set_.style_.kind)) != styles.end();
}

// The fix to use; nullptr when there is none in this style.
const base::Json* RuleLoader::fix_of_style(base::JsonObject& rule, bool at_run_time) const {
    const base::Json* on_npu = rule.optional("fix");
    const base::Json* portable = rule.optional("portable");
    const base::Json* automatic = rule.optional("auto");
    switch (set_.style_.kind) {
        case StyleKind::npu: return on_npu;
        case StyleKind::portable: return portable;
        case StyleKind::automatic: return automatic != nullptr ? automatic : at_run_time ? nullptr : on_npu;
    }
    CHECK(false);
    return nullptr;
}

base::Status RuleLoader::load_file(std::string_view text, const std::string& origin) {
    TRY_ASSIGN(auto document, base::parse_json(text, origin));
    TRY_ASSIGN(auto file, base::JsonObject::of(document, document.root));
    TRY_ASSIGN(std::int64_t schema, file.integer("schema"));
    if (schema != kSchema) {
        return file.error(base::format("schema {} is not known; this program reads schema {}", schema, kSchema));
    }
    TRY_ASSIGN(std::string about, file.string_or("about", {}));
    auto each = [&](std::string_view key,
                    base::Status (RuleLoader::*load)(const base::JsonDocument&, const base::Json&)) -> base::Status {
        const base::Json* list = file.optional(key);
        if (list == nullptr) return {};
        if (list->array() == nullptr) return file.error(*list, base::format("\"{}\" must be a list of objects", key));
        for (const base::Json& item : *list->array()) TRY((this->*load)(document, item));
        return {};
    };
    TRY(each("rules", &RuleLoader::load_rule));
    TRY(each("tables", &RuleLoader::load_table));
    TRY(each("operations", &RuleLoader::load_operation));
    if (const base::Json* places = file.optional("environment_places")) TRY(load_environment_places(document, *places));
    if (const base::Json* places = file.optional("script_places")) TRY(load_script_places(document, *places));
    if (const base::Json* framework = file.optional("framework")) TRY(load_framework(document, *framework));
    const base::Json* limits = file.optional("limits");
    TRY(set_.apis_.add(document, limits, file.optional("apis")));
    if (const base::Json* tensors = file.optional("tensors")) {
        if (!set_.tensors_.type.empty()) return file.error(*tensors, "there already is a \"tensors\"");
        TRY_ASSIGN(set_.tensors_, TensorFacts::read(document, *tensors));
    }
    if (const base::Json* texts = file.optional("text_places")) TRY(load_text_places(document, *texts));
    if (const base::Json* adapted = file.optional("adapted")) TRY(load_adapted(document, *adapted));
    return file.finish();
}

base::Result<const Rule*> RuleLoader::load_header(base::JsonObject& object) {
    auto rule = std::make_unique<Rule>();
    TRY_ASSIGN(rule->id, object.string("id"));
    TRY_ASSIGN(rule->kind, kind_of(object));
    TRY_ASSIGN(rule->severity,
               one_of<Severity>(object, "severity", Severity::info, Severity::warning, Severity::error));
    TRY_ASSIGN(rule->certainty, certainty_of(object));
    TRY_ASSIGN(rule->message, object.string("message"));
    TRY(check_message(object, rule->message));
    TRY_ASSIGN(rule->source, object.string("source"));
    TRY_ASSIGN(rule->effort, effort_of(object, usual_effort(rule->severity)));
    TRY_ASSIGN(rule->imports, imports_of(object));
    TRY_ASSIGN(rule->versions, version_range(object));
    TRY_ASSIGN(rule->at_run_time, object.boolean_or("at_run_time", false));
    TRY(load_conditions(object, *rule));
    rule->at_run_time &= set_.style_.kind == StyleKind::automatic;
    const std::array<std::pair<std::string_view, std::string_view>, 3> said{
        {{"id", rule->id}, {"message", rule->message}, {"source", rule->source}}};
    for (const auto& [key, text] : said) {
        if (base::trimmed(text).empty()) return object.error(base::format("\"{}\" is blank", key));
    }
    const Rule* out = rule.get();
    if (!set_.by_id_.emplace(rule->id, out).second) {
        return object.error(base::format("there already is a rule \"{}\"", rule->id));
    }
    set_.rules_.push_back(std::move(rule));
    return out;
}

base::Status RuleLoader::claim(const base::JsonObject& at, const std::string& what, const Rule* rule) {
    const auto [known, fresh] = claimed_.emplace(what, rule);
    if (fresh) return {};
    return at.error(base::format("{} is already spoken for by the rule \"{}\"", what, known->second->id));
}

base::Status RuleLoader::check_reachable() const {
    const std::vector<Version>& known = set_.framework_.versions;
    for (const auto& rule : set_.rules_) {
        const bool is_reachable = known.empty() || std::any_of(known.begin(), known.end(),
                                                               [&](Version v) { return rule->versions.contains(v); });
        if (!is_reachable)
            return base::fail(base::ErrorKind::rule_data,
                              base::format("the fix of the rule \"{}\" is for versions \"{}\", and none of the known "
                                           "versions is among them",
                                           rule->id, rule->versions.text()));
    }
    return {};
}

base::Result<RuleSet> RuleLoader::take() {
    TRY(check_reachable());
    return std::move(set_);
}

base::Status RuleLoader::load_rule(const base::JsonDocument& document, const base::Json& json) {
    static const base::Json kNoFix{base::Json::Object{}, 0};
    TRY_ASSIGN(auto object, base::JsonObject::of(document, json));
    TRY_ASSIGN(const bool is_wanted, is_for_style(object));
    if (!is_wanted) return {};
    TRY_ASSIGN(const Rule* rule, load_header(object));
    TRY_ASSIGN(const base::Json* match_json, object.required("match"));
    TRY_ASSIGN(auto match, base::JsonObject::of(document, *match_json));
    const base::Json* npu_json = object.optional("fix");
    const base::Json* fix_json = fix_of_style(object, rule->at_run_time);
    TRY_ASSIGN(auto fix, base::JsonObject::of(document, fix_json == nullptr ? kNoFix : *fix_json));
    TRY_ASSIGN(auto on_npu, base::JsonObject::of(document, npu_json == nullptr ? kNoFix : *npu_json));
    TRY(object.finish());

    if (match.members().size() != 1) return match.error("\"match\" must hold exactly one word");
    const std::string& word = match.members().front().first;
    WordLoader loader = find_word(word);
    if (loader == nullptr) return match.error(base::format("\"{}\" is not a word of \"match\"", word));
    Words words{std::move(match), std::move(fix), std::move(on_npu), rule};
    TRY((this->*loader)(words));
    TRY(words.match.finish());
    return words.fix.finish();
}

base::Status RuleLoader::load_table(const base::JsonDocument& document, const base::Json& json) {
    TRY_ASSIGN(auto table, base::JsonObject::of(document, json));
    TRY_ASSIGN(const Rule* rule, load_header(table));
    TRY_ASSIGN(std::string word, table.string("match"));
    TRY_ASSIGN(std::string status, table.string_or("status", {}));
    TRY_ASSIGN(const base::Json* rows, table.required("rows"));
    TRY(table.finish());
    RowLoader loader = find_row(word);
    if (loader == nullptr) return table.error(base::format("\"{}\" is not a word that a table can match", word));
    return load_rows(document, *rows, loader, rule, status);
}

base::Status RuleLoader::load_rows(const base::JsonDocument& document, const base::Json& rows, RowLoader loader,
                                   const Rule* rule, const std::string& status) {
    if (rows.array() == nullptr || rows.array()->empty()) {
        return base::fail(base::ErrorKind::rule_data, "\"rows\" must be a list with at least one row",
                          document.where(rows));
    }
    for (const base::Json& item : *rows.array()) {
        TRY_ASSIGN(auto row, base::JsonObject::of(document, item));
        TRY((this->*loader)(row, rule, status));
        TRY(row.finish());
    }
    return {};
}

base::Status RuleLoader::load_framework(const base::JsonDocument& document, const base::Json& json) {
    TRY_ASSIGN(auto object, base::JsonObject::of(document, json));
    TRY_ASSIGN(auto packages, required_strings(object, "packages"));
    TRY_ASSIGN(auto versions, required_strings(object, "versions"));
    TRY_ASSIGN(auto loaded_by, required_strings(object, "loaded_by"));
    TRY_ASSIGN(std::string source, object.string("source"));
    TRY(object.finish());
    if (!set_.framework_.packages.empty()) return object.error("there already is a \"framework\"");
    for (const std::string& package : packages) set_.framework_.packages.push_back(normalise_distribution(package));
    set_.framework_.loaded_by = std::move(loaded_by);
    for (const std::string& text : versions) {
        const auto version = Version::parse(text);
        if (!version) return object.error(base::format("\"{}\" is no version", text));
        set_.framework_.versions.push_back(*version);
    }
    return {};
}

base::Status RuleLoader::load_adapted(const base::JsonDocument& document, const base::Json& json) {
    TRY_ASSIGN(auto object, base::JsonObject::of(document, json));
    TRY_ASSIGN(auto guards, required_strings(object, "guards"));
    TRY(object.finish());
    auto& all = set_.adapted_.guards;
    all.insert(all.end(), guards.begin(), guards.end());
    return {};
}

base::Status RuleLoader::load_text_places(const base::JsonDocument& document, const base::Json& json) {
    TRY_ASSIGN(auto object, base::JsonObject::of(document, json));
    TextPlaces& places = set_.text_places_;
    TRY(load_parameters(document, object.optional("passed"), places.passed, nullptr));
    TRY(load_parameters(document, object.optional("declared"), places.declared, nullptr));
    TRY(append_strings(object, "shown", places.shown));
    TRY(append_strings(object, "shown_by_methods", places.shown_by_methods));
    return object.finish();
}

base::Status RuleLoader::load_environment_places(const base::JsonDocument& document, const base::Json& json) {
    TRY_ASSIGN(auto object, base::JsonObject::of(document, json));
    TRY(load_parameters(document, object.optional("parameters"), set_.environment_places_.parameters, nullptr));
    TRY(append_strings(object, "mappings", set_.environment_places_.mappings));
    return object.finish();
}

base::Status RuleLoader::load_script_places(const base::JsonDocument& document, const base::Json& json) {
    TRY_ASSIGN(auto object, base::JsonObject::of(document, json));
    ScriptPlaces& places = set_.script_places_;
    TRY(load_parameters(document, object.optional("commands"), places.commands, nullptr));
    TRY(append_strings(object, "variable_options", places.variable_options));
    TRY(append_strings(object, "directives", places.directives));
    return object.finish();
}

base::Result<RuleSet> RuleSet::load(const base::DataStore& store, StyleKind style) {
    TRY_ASSIGN(Style known, load_style(store, style));
    RuleLoader loader(std::move(known));
    for (const std::string& path : store.list(kRules, ".json")) {
        if (is_read(path)) TRY(loader.load_file(*store.find(path), store.origin(path)));
    }
    return loader.take();
}

std::span<const std::string_view> RuleSet::folders() { return kRuleFolders; }

bool RuleSet::is_read(std::string_view path) {
    // Cases beside the rules may hold JSON of the projects they show.
    if (!path.starts_with(kRules) || !path.ends_with(".json") || path.find("/cases/") != path.npos) return false;
    path.remove_prefix(kRules.size());
    const std::size_t slash = path.find('/');
    return slash == path.npos ||
           std::find(kRuleFolders.begin(), kRuleFolders.end(), path.substr(0, slash)) != kRuleFolders.end();
}

base::Result<std::vector<std::string>> required_strings(base::JsonObject& object, std::string_view key) {
    TRY_ASSIGN(const base::Json* json, object.required(key));
    TRY_ASSIGN(auto out, object.strings(key));
    bool blank = std::any_of(out.begin(), out.end(), [](const std::string& text) { return text.empty(); });
    if (out.empty() || blank) {
        return object.error(
            *json, base::format("\"{}\" must name at least one thing to look for, and none may be empty", key));
    }
    return out;
}

base::Result<std::map<std::string, std::string, std::less<>>> string_map(base::JsonObject& object,
                                                                         std::string_view key) {
    std::map<std::string, std::string, std::less<>> out;
    const base::Json* json = object.optional(key);
    if (json == nullptr) return out;
    TRY_ASSIGN(auto inner, base::JsonObject::of(object.document(), *json));
    for (const auto& [from, value] : inner.members()) {
        TRY_ASSIGN(out[from], inner.string(from));
    }
    return out;
}

base::Result<VersionRange> version_range(base::JsonObject& object) {
    TRY_ASSIGN(std::string text, object.string_or("versions", {}));
    auto range = VersionRange::parse(text);
    if (!range)
        return object.error(base::format("\"versions\" is \"{}\", which is no range such as \">=2.1,!=2.3\"", text));
    return std::move(*range);
}

base::Result<std::optional<std::size_t>> optional_position(base::JsonObject& object) {
    const base::Json* json = object.optional("position");
    if (json == nullptr) return std::optional<std::size_t>{};
    TRY_ASSIGN(std::int64_t position, object.integer("position"));
    if (position < 0 || position > 100) return object.error(*json, "\"position\" counts from 0, without self");
    return std::optional<std::size_t>{static_cast<std::size_t>(position)};
}

base::Result<std::optional<std::string>> optional_string(base::JsonObject& object, std::string_view key) {
    if (object.optional(key) == nullptr) return std::optional<std::string>{};
    TRY_ASSIGN(std::string text, object.string(key));
    return std::optional<std::string>{std::move(text)};
}

}  // namespace migrator
