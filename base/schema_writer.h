// SchemaWriter: a JSON Schema (draft 2020-12) of records, each defined once below "$defs".
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.h"

namespace base {

class SchemaWriter {
public:
    using Describe = void (*)(SchemaWriter&);

    // `id`: where the schema can be read; `describe` writes the keys of the whole document's schema.
    // `is_closed`: objects have no other keys than those of their records.
    SchemaWriter(std::string_view id, std::string_view title, Describe describe, bool is_closed = true);
    // Once.
    std::string take() &&;

    // Keys of the schema that is open.
    JsonWriter& key(std::string_view name) { return json_.key(name); }
    SchemaWriter& type(std::string_view name);
    SchemaWriter& description(std::string_view text);
    SchemaWriter& minimum(std::int64_t number);
    SchemaWriter& maximum(std::int64_t number);
    SchemaWriter& words(std::span<const std::string_view> words);
    // The only words that a text, or each text of a list, may be.
    SchemaWriter& words_of_texts(std::span<const std::string_view> words, bool is_text);
    SchemaWriter& closed();  // an object, where the schema is
    SchemaWriter& or_null(Describe describe);
    // A text, or a list of texts.
    SchemaWriter& strings();
    SchemaWriter& required(const std::vector<std::string_view>& keys);
    // A record; it is defined when the rest is written.
    SchemaWriter& reference(std::string_view name, Describe define);

    // A schema below the key, open until close().
    SchemaWriter& open(std::string_view name);
    SchemaWriter& open_item();  // of a list
    SchemaWriter& close();
    SchemaWriter& end_list();

private:
    JsonWriter json_;
    bool is_closed_;
    std::map<std::string, Describe, std::less<>> definitions_;
    std::vector<std::string> pending_;
};

}  // namespace base
