#include "migrator/ruleset/library_table.h"

#include "base/format.h"

namespace migrator {

base::Status LibraryTable::add(const base::JsonDocument& document) {
    TRY_ASSIGN(auto file, base::JsonObject::of(document, document.root));
    TRY_ASSIGN(const std::string schema, file.string("schema"));
    if (schema != kLibrarySchema)
        return file.error(
            base::format("\"{}\" is not a result of library mode; expected is {}", schema, kLibrarySchema));
    TRY(file.required("tool"));
    TRY(file.string("framework_version"));
    const auto each = [&](std::string_view key, auto add_item) -> base::Status {
        TRY_ASSIGN(const base::Json* list, file.required(key));
        if (list->array() == nullptr) return file.error(*list, base::format("\"{}\" must be a list of objects", key));
        for (const base::Json& item : *list->array()) TRY((this->*add_item)(document, item));
        return {};
    };
    TRY(each("functions", &LibraryTable::add_function));
    TRY(each("classes", &LibraryTable::add_class));
    return file.finish();
}

base::Status LibraryTable::add_function(const base::JsonDocument& document, const base::Json& json) {
    TRY_ASSIGN(auto function, base::JsonObject::of(document, json));
    TRY_ASSIGN(const auto names, function.strings("names"));
    TRY(function.string("kind"));
    TRY(function.string("place"));
    TRY_ASSIGN(const base::Json* reaches, function.required("reaches"));
    TRY(function.finish());
    if (reaches->array() == nullptr) return function.error(*reaches, "\"reaches\" must be a list of objects");
    std::vector<Way> ways;
    for (const base::Json& item : *reaches->array()) {
        TRY_ASSIGN(auto object, base::JsonObject::of(document, item));
        Way& way = ways.emplace_back();
        TRY_ASSIGN(way.subject, object.string("subject"));
        TRY_ASSIGN(way.place, object.string("place"));
        TRY_ASSIGN(const auto chain, object.strings("chain"));
        TRY(object.string("rule"));
        TRY(object.string("message"));
        TRY(object.finish());
        way.chain = base::format("{} -> {}", base::joined(chain, " -> "), way.subject);
    }
    for (const std::string& name : names) functions_.emplace(name, ways_.size());
    ways_.push_back(std::move(ways));
    return {};
}

base::Status LibraryTable::add_class(const base::JsonDocument& document, const base::Json& json) {
    TRY_ASSIGN(auto object, base::JsonObject::of(document, json));
    TRY_ASSIGN(const auto names, object.strings("names"));
    TRY_ASSIGN(const std::string base, object.string("base"));
    TRY_ASSIGN(const auto methods, object.strings("methods"));
    for (const std::string& name : names) classes_.push_back({name, base, methods});
    return object.finish();
}

const std::vector<LibraryTable::Way>* LibraryTable::find(std::string_view name) const {
    const auto found = functions_.find(name);
    return found == functions_.end() ? nullptr : &ways_[found->second];
}

}  // namespace migrator
