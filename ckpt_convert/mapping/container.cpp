#include "ckpt_convert/mapping/container.h"

#include <algorithm>

#include "base/format.h"
#include "base/json_writer.h"
#include "base/text.h"

namespace ckpt {
namespace {

constexpr std::string_view kModelType = "model_type";
constexpr const char* kTied = "tie_word_embeddings";

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

Status Container::check(const base::JsonPlace& at) const {
    return defaults.object() != nullptr ? Status() : at.error("\"defaults\" must be an object");
}

Result<std::vector<Container>> load_containers(const base::DataStore& store) {
    return read_rule_list<"containers/1", "containers", Container>(store, "rules/containers/containers.json");
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

// ["model.language_model.", "model."]
base::Result<ckpt::Container::Rename> base::InJson<ckpt::Container::Rename>::read(const JsonPlace& at) {
    const auto both = read_json<std::vector<std::string>>(at);
    if (!both || both->size() != 2) return at.error("a rename must be two beginnings of names");
    return ckpt::Container::Rename(both->front(), both->back());
}
