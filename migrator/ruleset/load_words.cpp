// The words of a rule's "match" and "fix".
#include <algorithm>
#include <array>

#include "base/format.h"
#include "base/text.h"
#include "migrator/ruleset/rule_loader.h"

namespace migrator {

RuleLoader::WordLoader RuleLoader::find_word(std::string_view word) {
    static constexpr std::array<std::pair<std::string_view, WordLoader>, 22> kWords{{
        {"name", &RuleLoader::load_name},
        {"module", &RuleLoader::load_module},
        {"prefix", &RuleLoader::load_prefix},
        {"method", &RuleLoader::load_method},
        {"argument", &RuleLoader::load_argument},
        {"call", &RuleLoader::load_call},
        {"index", &RuleLoader::load_index},
        {"taken_apart", &RuleLoader::load_taken_apart},
        {"training", &RuleLoader::load_training},
        {"string", &RuleLoader::load_string},
        {"value", &RuleLoader::load_value},
        {"import", &RuleLoader::load_import},
        {"own_import", &RuleLoader::load_own_import},
        {"text", &RuleLoader::load_text},
        {"file", &RuleLoader::load_file_names},
        {"registration", &RuleLoader::load_registration},
        {"kernel", &RuleLoader::load_kernel},
        {"program", &RuleLoader::load_program},
        {"api", &RuleLoader::load_api},
        {"pattern", &RuleLoader::load_pattern},
        {"definition", &RuleLoader::load_definition},
        {"library", &RuleLoader::load_library},
    }};
    for (const auto& [known, loader] : kWords) {
        if (known == word) return loader;
    }
    return nullptr;
}

base::Status RuleLoader::load_names(Words& words, std::string_view word, NameRow::Reach reach) {
    TRY_ASSIGN(auto names, required_strings(words.match, word));
    NameRow row;
    row.rule = words.rule;
    row.reach = reach;
    row.effort = words.rule->effort;
    row.at_run_time = words.rule->at_run_time;
    TRY_ASSIGN(row.to, optional_string(words.fix, "rename"));
    TRY_ASSIGN(row.on_npu, optional_string(words.on_npu, "rename"));
    for (std::string& name : names) TRY(add_name(words.match, std::move(name), row));
    return {};
}

base::Status RuleLoader::load_name(Words& words) { return load_names(words, "name", NameRow::Reach::exact); }
base::Status RuleLoader::load_module(Words& words) { return load_names(words, "module", NameRow::Reach::module); }
base::Status RuleLoader::load_prefix(Words& words) { return load_names(words, "prefix", NameRow::Reach::below); }

namespace {

base::Result<std::optional<MemberFix>> member_fix(base::JsonObject& object) {
    MemberFix fix;
    TRY_ASSIGN(fix.rename, object.string_or("rename", {}));
    TRY_ASSIGN(fix.device, object.string_or("device", {}));
    TRY_ASSIGN(fix.no_device, object.string_or("no_device", {}));
    TRY_ASSIGN(fix.keywords, object.strings("keywords"));
    TRY_ASSIGN(fix.wrap, object.string_or("wrap", {}));
    TRY_ASSIGN(fix.except, object.strings("except"));
    if (fix.device.empty() != fix.no_device.empty() || (!fix.device.empty() && fix.rename.empty()))
        return object.error("\"device\" needs \"no_device\" and \"rename\"");
    if (!fix.wrap.empty() && !fix.rename.empty()) return object.error("\"wrap\" and \"rename\" exclude each other");
    if (fix.to().empty()) return std::optional<MemberFix>{};
    return std::optional<MemberFix>{std::move(fix)};
}

NameRow member_row(const MethodRow& method, const std::string& owner) {
    NameRow row;
    row.rule = method.rule;
    row.effort = method.rule->effort;
    row.at_run_time = method.rule->at_run_time;
    const auto& fix = method.fix;
    if (!fix || std::find(fix->except.begin(), fix->except.end(), owner) != fix->except.end()) return row;
    row.to = fix->wrap.empty() ? owner + "." + fix->rename : fix->wrap;
    if (!fix->is_plain()) row.member = fix;
    return row;
}

}  // namespace

base::Status RuleLoader::load_method(Words& words) {
    TRY_ASSIGN(const base::Json* json, words.match.required("method"));
    TRY_ASSIGN(auto method, base::JsonObject::of(words.match.document(), *json));
    TRY_ASSIGN(auto names, required_strings(method, "names"));
    MethodRow row;
    row.rule = words.rule;
    TRY_ASSIGN(row.of, required_strings(method, "of"));
    TRY_ASSIGN(row.when_imported, method.strings("when_imported"));
    TRY_ASSIGN(row.called, method.boolean_or("called", false));
    TRY_ASSIGN(row.telling, method.boolean_or("telling", false));
    TRY_ASSIGN(row.fix, member_fix(words.fix));
    for (const std::string& name : names) {
        row.name = name;
        set_.methods_[name].push_back(row);
        // Of an object whose class is known, the member has a qualified name like any other.
        for (const std::string& owner : row.of) TRY(add_name(method, owner + "." + name, member_row(row, owner)));
    }
    return method.finish();
}

base::Status RuleLoader::load_argument(Words& words) {
    TRY_ASSIGN(const base::Json* json, words.match.required("argument"));
    TRY_ASSIGN(auto argument, base::JsonObject::of(words.match.document(), *json));
    TRY_ASSIGN(auto functions, required_strings(argument, "of"));
    ArgumentRow row;
    row.rule = words.rule;
    TRY_ASSIGN(row.keyword, argument.string_or("keyword", {}));
    TRY_ASSIGN(row.position, optional_position(argument));
    if (row.keyword.empty() && !row.position)
        return argument.error("an argument has a \"keyword\", a \"position\" or both");
    TRY_ASSIGN(std::string state, argument.string_or("is", "present"));
    if (state == "absent") row.state = ArgumentRow::State::absent;
    else if (state == "integer") row.state = ArgumentRow::State::integer;
    else if (state == "computed") row.state = ArgumentRow::State::computed;
    else if (state == "equal") row.state = ArgumentRow::State::equals;
    else if (state == "contains") row.state = ArgumentRow::State::contains;
    else if (state != "present") return argument.error(base::format("\"is\" cannot be \"{}\"", state));
    TRY_ASSIGN(row.values, argument.strings("values"));
    TRY_ASSIGN(row.beside, argument.strings("beside"));
    const bool has_values = row.state == ArgumentRow::State::equals || row.state == ArgumentRow::State::contains;
    if (row.values.empty() == has_values)
        return argument.error("\"values\" belongs to \"is\": \"equal\" or \"contains\", and only there");
    TRY_ASSIGN(row.methods, argument.boolean_or("methods", false));
    TRY_ASSIGN(row.when_imported, argument.strings("when_imported"));
    TRY(argument.finish());
    TRY_ASSIGN(row.add, words.fix.string_or("add", {}));
    TRY_ASSIGN(row.replace, words.fix.string_or("replace", {}));
    TRY_ASSIGN(row.wrap, words.fix.string_or("wrap", {}));
    TRY_ASSIGN(row.name, words.fix.string_or("name", {}));
    TRY_ASSIGN(row.remove, words.fix.boolean_or("remove", false));
    if ((row.state == ArgumentRow::State::absent) ? (!row.replace.empty() || !row.wrap.empty() || row.remove)
                                                  : !row.add.empty()) {
        return words.fix.error(
            "\"add\" is for absent arguments, \"replace\", \"wrap\" and \"remove\" are for the others");
    }
    if (!row.name.empty() && (!row.keyword.empty() || row.state == ArgumentRow::State::absent))
        return words.fix.error("\"name\" is for arguments that are looked for by their \"position\" alone");
    for (const std::string& function : functions) {
        for (const std::string& value : row.values.empty() ? std::vector<std::string>{""} : row.values) {
            const std::string place = row.keyword.empty() ? std::to_string(*row.position) : row.keyword;
            const std::string what = base::format("the argument {} of {}, {} {}", place, function, state, value);
            TRY(claim(words.match, std::string(base::trimmed(what)), row.rule));
        }
        set_.arguments_[function].push_back(row);
        if (row.methods) set_.method_arguments_[function.substr(function.rfind('.') + 1)].push_back(row);
    }
    return {};
}

base::Status RuleLoader::load_call(Words& words) {
    TRY_ASSIGN(const base::Json* json, words.match.required("call"));
    TRY_ASSIGN(auto object, base::JsonObject::of(words.match.document(), *json));
    CallRow row;
    row.rule = words.rule;
    TRY_ASSIGN(auto functions, required_strings(object, "of"));
    TRY_ASSIGN(row.given, object.strings("given"));
    TRY_ASSIGN(row.when_imported, object.strings("when_imported"));
    TRY(object.finish());
    for (const std::string& function : functions) {
        set_.calls_[function].push_back(row);
        const bool is_method = !row.when_imported.empty() && function.find('.') != function.npos;
        if (is_method) set_.method_calls_[function.substr(function.rfind('.') + 1)].push_back(row);
    }
    return {};
}

base::Status RuleLoader::load_index(Words& words) {
    TRY_ASSIGN(const base::Json* json, words.match.required("index"));
    TRY_ASSIGN(auto object, base::JsonObject::of(words.match.document(), *json));
    IndexRow row;
    row.rule = words.rule;
    TRY_ASSIGN(const std::string by, object.string("by"));
    if (by != "comparison") return object.error(base::format("\"by\" cannot be \"{}\"", by));
    TRY_ASSIGN(row.when_imported, object.strings("when_imported"));
    TRY(object.finish());
    set_.indexes_.push_back(std::move(row));
    return {};
}

base::Status RuleLoader::load_taken_apart(Words& words) {
    TRY_ASSIGN(auto classes, required_strings(words.match, "taken_apart"));
    for (const std::string& name : classes)
        TRY(claim(words.match, base::format("values of {} that are taken apart", name), words.rule));
    set_.taken_apart_.push_back({words.rule, std::move(classes)});
    return {};
}

base::Status RuleLoader::load_training(Words& words) {
    TRY_ASSIGN(const base::Json* json, words.match.required("training"));
    TRY_ASSIGN(auto object, base::JsonObject::of(words.match.document(), *json));
    TrainingRow row;
    row.rule = words.rule;
    TRY_ASSIGN(row.uses, object.strings("uses"));
    TRY_ASSIGN(row.accumulates, object.boolean_or("accumulates", false));
    TRY(object.finish());
    set_.trainings_.push_back(std::move(row));
    return {};
}

base::Status RuleLoader::load_string(Words& words) {
    TRY_ASSIGN(const base::Json* json, words.match.required("string"));
    TRY_ASSIGN(auto object, base::JsonObject::of(words.match.document(), *json));
    StringRow row;
    row.rule = words.rule;
    TRY_ASSIGN(row.qualified_names, object.boolean_or("qualified_names", false));
    TRY_ASSIGN(row.values, object.strings("values"));
    TRY(object.finish());
    if (row.values.empty() == !row.qualified_names) {
        return object.error("a string rule has either \"values\" or \"qualified_names\": true");
    }
    for (const std::string& value : row.values)
        TRY(claim(words.match, base::format("the string \"{}\"", value), row.rule));
    TRY_ASSIGN(row.replace, string_map(words.fix, "replace"));
    TRY_ASSIGN(row.replace_by, string_map(words.fix, "replace_by"));
    for (const auto& [from, to] : row.replace) {
        if (std::find(row.values.begin(), row.values.end(), from) == row.values.end()) {
            return words.fix.error(base::format("\"{}\" is replaced, but it is not in \"values\"", from));
        }
    }
    set_.strings_.push_back(std::move(row));
    return {};
}

base::Status RuleLoader::load_import(Words& words) {
    TRY_ASSIGN(auto modules, required_strings(words.match, "import"));
    for (const std::string& module : modules) TRY(claim(words.match, "the import of " + module, words.rule));
    set_.imports_.push_back({words.rule, std::move(modules), false});
    return {};
}

base::Status RuleLoader::load_own_import(Words& words) {
    TRY_ASSIGN(auto modules, required_strings(words.match, "own_import"));
    for (const std::string& module : modules)
        TRY(claim(words.match, base::format("the import of the project's own {}", module), words.rule));
    set_.imports_.push_back({words.rule, std::move(modules), true});
    return {};
}

base::Status RuleLoader::load_text(Words& words) {
    static constexpr std::array<std::string_view, 11> kFiles{
        "shell", "dockerfile", "requirements", "yaml", "json", "toml", "setup_cfg", "ini", "cmake", "cuda", "cpp"};
    TRY_ASSIGN(const base::Json* json, words.match.required("text"));
    TRY_ASSIGN(auto object, base::JsonObject::of(words.match.document(), *json));
    TextRow row;
    row.rule = words.rule;
    TRY_ASSIGN(row.words, required_strings(object, "words"));
    TRY_ASSIGN(row.files, required_strings(object, "files"));
    for (const std::string& file : row.files) {
        if (std::find(kFiles.begin(), kFiles.end(), file) == kFiles.end()) {
            return object.error(base::format("\"{}\" is not a type of text file", file));
        }
        for (const std::string& word : row.words)
            TRY(claim(object, base::format("\"{}\" in files of type {}", word, file), row.rule));
    }
    TRY(object.finish());
    set_.texts_.push_back(std::move(row));
    return {};
}

base::Status RuleLoader::load_file_names(Words& words) {
    TRY_ASSIGN(const base::Json* json, words.match.required("file"));
    TRY_ASSIGN(auto object, base::JsonObject::of(words.match.document(), *json));
    FileRow row;
    row.rule = words.rule;
    TRY_ASSIGN(row.names, required_strings(object, "names"));
    TRY_ASSIGN(row.contains, object.strings("contains"));
    for (const std::string& name : row.names) TRY(claim(object, base::format("files {}", name), words.rule));
    TRY(object.finish());
    set_.files_.push_back(std::move(row));
    return {};
}

base::Status RuleLoader::load_registration(Words& words) {
    TRY_ASSIGN(const base::Json* json, words.match.required("registration"));
    TRY_ASSIGN(auto object, base::JsonObject::of(words.match.document(), *json));
    RegistrationRow row;
    row.rule = words.rule;
    TRY_ASSIGN(row.macros, required_strings(object, "macros"));
    TRY_ASSIGN(row.methods, required_strings(object, "methods"));
    TRY_ASSIGN(row.keys, object.strings("keys"));
    TRY_ASSIGN(row.namespaced, object.boolean_or("namespaced", false));
    TRY(object.finish());
    set_.registrations_.push_back(std::move(row));
    return {};
}

base::Status RuleLoader::load_kernel(Words& words) {
    TRY_ASSIGN(auto markers, required_strings(words.match, "kernel"));
    for (const std::string& marker : markers) TRY(claim(words.match, "the marker " + marker, words.rule));
    set_.kernels_.push_back({words.rule, std::move(markers)});
    return {};
}

base::Status RuleLoader::load_api(Words& words) {
    TRY_ASSIGN(const std::string state, words.match.string("api"));
    ApiRules& rules = set_.api_rules_;
    const Rule** slot = state == "no"             ? &rules.no
                        : state == "partly"       ? &rules.partly
                        : state == "beyond_limit" ? &rules.beyond_limit
                        : state == "wrong_dtype"  ? &rules.wrong_dtype
                                                  : nullptr;
    if (slot == nullptr) return words.match.error(base::format("\"api\" cannot be \"{}\"", state));
    if (*slot != nullptr)
        return words.match.error(base::format("\"{}\" is already spoken for by the rule \"{}\"", state, (*slot)->id));
    *slot = words.rule;
    return {};
}

base::Status RuleLoader::load_library(Words& words) {
    TRY_ASSIGN(const std::string state, words.match.string("library"));
    if (state != "reaches") return words.match.error(base::format("\"library\" cannot be \"{}\"", state));
    if (set_.library_rule_ != nullptr)
        return words.match.error(
            base::format("\"library\" is already spoken for by the rule \"{}\"", set_.library_rule_->id));
    set_.library_rule_ = words.rule;
    return {};
}

base::Status RuleLoader::load_program(Words& words) {
    TRY_ASSIGN(const base::Json* json, words.match.required("program"));
    TRY_ASSIGN(auto object, base::JsonObject::of(words.match.document(), *json));
    ProgramRow row;
    row.rule = words.rule;
    TRY_ASSIGN(row.loads, object.string("loads"));
    TRY_ASSIGN(row.unless, object.string("unless"));
    TRY(object.finish());
    TRY_ASSIGN(row.insert, required_strings(words.fix, "insert"));
    set_.programs_.push_back(std::move(row));
    return {};
}

}  // namespace migrator
