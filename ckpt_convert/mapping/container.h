// Container: a multimodal model, in which a language model of a known family is one part.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/data_store.h"
#include "base/json.h"
#include "base/result.h"

namespace ckpt {

struct Container {
    std::string title;
    std::vector<std::string> model_types;
    std::string language;            // "model_type" of the language part; empty: as its section of config.json says
    std::string config;              // the section about it, a dotted path; a config without is about it as a whole
    std::vector<std::string> parts;  // the sections about the other parts
    base::Json defaults;             // an object: what holds for the language part where config.json says nothing
    // Beginnings of tensor names, and what they are in the language model alone; the first that fits counts.
    std::vector<std::pair<std::string, std::string>> names;
    std::vector<std::string> beside;  // beginnings of the names of the other parts' tensors

    bool is_beside(std::string_view tensor) const;
    // What the tensor is called in the language model alone.
    std::string plain_name(const std::string& tensor) const;
    // The config.json of the language model alone. Fails with bad_input when nothing says what model it is.
    base::Result<std::string> language_config(const base::JsonDocument& config) const;
};

// Of rules/containers/, strictly.
base::Result<std::vector<Container>> load_containers(const base::DataStore& store);

// The container that a config.json is of; nullptr: none.
const Container* container_of(const std::vector<Container>& containers, const base::Json& config);

}  // namespace ckpt
