// Container: a multimodal model, in which a language model of a known family is one part.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/data_store.h"
#include "ckpt_convert/mapping/rule_json.h"

namespace ckpt {

struct Container {
    std::string title;
    std::vector<std::string> model_types;
    std::string language;              // "model_type" of the language part; empty: as its section of config.json says
    std::string config;                // the section about it, a dotted path; a config without is about it as a whole
    std::vector<std::string> parts;    // the sections about the other parts
    Json defaults{Json::Object(), 0};  // an object: what holds for the language part where config.json says nothing
    // Beginnings of tensor names, and what they are in the language model alone; the first that fits counts.
    using Rename = std::pair<std::string, std::string>;
    std::vector<Rename> names;
    std::vector<std::string> beside;  // beginnings of the names of the other parts' tensors

    bool is_beside(std::string_view tensor) const;
    // What the tensor is called in the language model alone.
    std::string plain_name(const std::string& tensor) const;
    // The config.json of the language model alone. Fails with bad_input when nothing says what model it is.
    Result<std::string> language_config(const JsonDocument& config) const;

    Status check(const base::JsonPlace& at) const;
};

constexpr auto record_of(const Container*) {
    using base::field;
    return base::record(
        "container", "a multimodal model, in which a language model of a known family is one part",
        field("title", &Container::title, "what it is").needed(),
        field("model_types", &Container::model_types, "`model_type` of its config.json"),
        field("language", &Container::language, "`model_type` of the language part, where its section does not say it"),
        field("config", &Container::config, "the section about the language part, a dotted path").needed(),
        field("parts", &Container::parts, "the sections about the other parts"),
        field("beside", &Container::beside, "beginnings of the names of the other parts' tensors"),
        field("defaults", &Container::defaults, "what holds for the language part where config.json says nothing"),
        field("names", &Container::names, "beginnings of names, and what they are in the language model alone")
            .needed());
}

// Of rules/containers/, strictly.
Result<std::vector<Container>> load_containers(const base::DataStore& store);

// The container that a config.json is of; nullptr: none.
const Container* container_of(const std::vector<Container>& containers, const Json& config);

}  // namespace ckpt

template <>
struct base::InJson<ckpt::Container::Rename> {
    static Result<ckpt::Container::Rename> read(const JsonPlace& at);
};
