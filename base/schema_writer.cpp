#include "base/schema_writer.h"

#include "base/check.h"

namespace base {
namespace {

constexpr std::string_view kDialect = "https://json-schema.org/draft/2020-12/schema";

}  // namespace

SchemaWriter::SchemaWriter(std::string_view id, std::string_view title, Describe describe, bool is_closed)
    : is_closed_(is_closed) {
    json_.begin_object();
    key("$schema").string(kDialect);
    key("$id").string(id);
    key("title").string(title);
    describe(*this);
}

std::string SchemaWriter::take() && {
    open("$defs");
    // A definition may refer to more of them.
    while (!pending_.empty()) {
        const std::string name = pending_.back();
        pending_.pop_back();
        open(name);
        definitions_.at(name)(*this);
        close();
    }
    close();
    json_.end_object();
    return std::move(json_).take() + "\n";
}

SchemaWriter& SchemaWriter::type(std::string_view name) {
    key("type").string(name);
    return *this;
}

SchemaWriter& SchemaWriter::description(std::string_view text) {
    key("description").string(text);
    return *this;
}

SchemaWriter& SchemaWriter::minimum(std::int64_t number) {
    key("minimum").integer(number);
    return *this;
}

SchemaWriter& SchemaWriter::maximum(std::int64_t number) {
    key("maximum").integer(number);
    return *this;
}

SchemaWriter& SchemaWriter::words(std::span<const std::string_view> words) {
    key("enum").begin_array();
    for (const std::string_view word : words) json_.string(word);
    json_.end_array();
    return *this;
}

SchemaWriter& SchemaWriter::words_of_texts(std::span<const std::string_view> list, bool is_text) {
    if (is_text) return words(list);
    key("if").begin_object().key("type").string("string").end_object();
    open("then").words(list).close();
    open("else").open("items").words(list).close();
    return close();
}

SchemaWriter& SchemaWriter::closed() {
    if (is_closed_) key("additionalProperties").boolean(false);
    return *this;
}

SchemaWriter& SchemaWriter::or_null(Describe describe) {
    key("anyOf").begin_array();
    open_item();
    describe(*this);
    close();
    open_item().type("null").close();
    return end_list();
}

SchemaWriter& SchemaWriter::strings() {
    key("type").begin_array().string("string").string("array").end_array();
    return open("items").type("string").close();
}

SchemaWriter& SchemaWriter::required(const std::vector<std::string_view>& keys) {
    if (keys.empty()) return *this;
    key("required").begin_array();
    for (const std::string_view name : keys) json_.string(name);
    json_.end_array();
    return *this;
}

SchemaWriter& SchemaWriter::reference(std::string_view name, Describe define) {
    key("$ref").string("#/$defs/" + std::string(name));
    const auto [known, fresh] = definitions_.emplace(name, define);
    CHECK(known->second == define);
    if (fresh) pending_.emplace_back(name);
    return *this;
}

SchemaWriter& SchemaWriter::open(std::string_view name) {
    key(name).begin_object();
    return *this;
}

SchemaWriter& SchemaWriter::open_item() {
    json_.begin_object();
    return *this;
}

SchemaWriter& SchemaWriter::end_list() {
    json_.end_array();
    return *this;
}

SchemaWriter& SchemaWriter::close() {
    json_.end_object();
    return *this;
}

}  // namespace base
