#include "ckpt_convert/mapping/container.h"

#include <algorithm>

#include "base/format.h"
#include "base/json_object.h"
#include "base/json_writer.h"
#include "base/rule_file.h"
#include "base/text.h"

namespace ckpt {
namespace {

using base::ErrorKind;
using base::Json;
using base::JsonDocument;
using base::JsonObject;
using base::Result;
using base::Status;

constexpr const char* kContainersFile = "rules/containers/containers.json";
constexpr const char* kContainersSchema = "containers/1";
constexpr std::string_view kModelType = "model_type";
constexpr const char* kTied = "tie_word_embeddings";

// [["model.language_model.", "model."], ...]
Status read_renames(JsonObject& object, Container& container) {
    TRY_ASSIGN(const Json* names, object.required("names"));
    if (names->array() == nullptr) return object.error(*names, "\"names\" must be a list");
    for (const Json& pair : *names->array()) {
        const auto* both = pair.array();
        if (both == nullptr || both->size() != 2 || both->front().string() == nullptr ||
            both->back().string() == nullptr)
            return object.error(pair, "a rename must be two beginnings of names");
        container.names.emplace_back(*both->front().string(), *both->back().string());
    }
    return {};
}

Result<Container> read_container(JsonObject& object) {
    Container out;
    TRY_ASSIGN(out.title, object.string("title"));
    TRY_ASSIGN(out.model_types, object.strings("model_types"));
    TRY_ASSIGN(out.language, object.string_or("language", ""));
    TRY_ASSIGN(out.config, object.string("config"));
    TRY_ASSIGN(out.parts, object.strings("parts"));
    TRY_ASSIGN(out.beside, object.strings("beside"));
    out.defaults = Json(Json::Object(), 0);
    if (const Json* defaults = object.optional("defaults")) {
        if (defaults->object() == nullptr) return object.error(*defaults, "\"defaults\" must be an object");
        out.defaults = *defaults;
    }
    TRY(read_renames(object, out));
    TRY(object.finish());
    return out;
}

}  // namespace

bool Container::is_beside(std::string_view tensor) const {
    return std::any_of(beside.begin(), beside.end(),
                       [&](const std::string& beginning) { return tensor.starts_with(beginning); });
}

std::string Container::plain_name(const std::string& tensor) const {
    for (const auto& [beginning, plain] : names) {
        if (tensor.starts_with(beginning)) return plain + tensor.substr(beginning.size());
    }
    return tensor;
}

Result<std::string> Container::language_config(const JsonDocument& document) const {
    const Json* section = document.root.find_path(config);
    const Json* type = section == nullptr ? nullptr : section->find(kModelType);
    if (language.empty() && (type == nullptr || type->string() == nullptr)) {
        return base::fail(ErrorKind::bad_input,
                          base::format("\"{}.{}\" is missing: it says what the language model is", config, kModelType),
                          document.name);
    }
    // What the section says, then what the config says of the whole, then what holds without.
    base::JsonWriter out;
    out.begin_object().key(kModelType).string(language.empty() ? *type->string() : language);
    std::vector<std::string> taken{std::string(kModelType), "architectures", "auto_map", config};
    taken.insert(taken.end(), parts.begin(), parts.end());
    // Older files say it in the section, newer ones outside, where the section may have the default.
    auto says = [](const Json* object, bool value) {
        const Json* tied = object == nullptr ? nullptr : object->find(kTied);
        return tied != nullptr && tied->boolean() != nullptr && *tied->boolean() == value;
    };
    const std::size_t dot = config.rfind('.');
    const Json* above = dot == config.npos ? &document.root : document.root.find_path(config.substr(0, dot));
    if (says(above, false) && says(section, true)) {
        return base::fail(ErrorKind::bad_input,
                          base::format("\"{0}\" is false above, but true in \"{1}\"; make both true when the "
                                       "checkpoint has no output layer of its own, else both false",
                                       kTied, config),
                          document.name);
    }
    if (says(&document.root, true)) {
        out.key(kTied).boolean(true);
        taken.push_back(kTied);
    }
    for (const Json* source : {section, &document.root, &defaults}) {
        if (source == nullptr || source->object() == nullptr) continue;
        for (const auto& [key, value] : *source->object()) {
            if (base::contains(taken, key)) continue;
            out.key(key).value(value);
            taken.push_back(key);
        }
    }
    out.end_object();
    return std::move(out).take() + "\n";
}

Result<std::vector<Container>> load_containers(const base::DataStore& store) {
    TRY_ASSIGN(JsonDocument document, base::read_rule_file(store, kContainersFile));
    TRY_ASSIGN(JsonObject object, JsonObject::of(document, document.root));
    TRY_ASSIGN(std::string schema, object.string("schema"));
    if (schema != kContainersSchema) return object.error(base::format("\"schema\" must be \"{}\"", kContainersSchema));
    TRY(object.strings("source"));
    TRY_ASSIGN(const Json* list, object.required("containers"));
    if (list->array() == nullptr) return object.error(*list, "\"containers\" must be a list");
    std::vector<Container> out;
    for (const Json& json : *list->array()) {
        TRY_ASSIGN(JsonObject entry, JsonObject::of(document, json));
        TRY_ASSIGN(Container container, read_container(entry));
        out.push_back(std::move(container));
    }
    TRY(object.finish());
    return out;
}

const Container* container_of(const std::vector<Container>& containers, const Json& config) {
    const Json* type = config.find(kModelType);
    if (type == nullptr || type->string() == nullptr) return nullptr;
    auto found = std::find_if(containers.begin(), containers.end(), [&](const Container& container) {
        return base::contains(container.model_types, *type->string());
    });
    return found == containers.end() ? nullptr : &*found;
}

}  // namespace ckpt
