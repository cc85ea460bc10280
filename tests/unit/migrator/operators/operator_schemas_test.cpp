#include "migrator/operators/operator_schemas.h"

#include <doctest/doctest.h>

using namespace migrator;

TEST_CASE("operator schemas: arguments, defaults, marks of aliases, keywords alone") {
    const OperatorSchema schema = parse_operator_schema(
        "(Tensor(a!)[] self, int[2] size=[1,2], *, str mode=\"a, (b\", Tensor? out=None) -> (Tensor, Tensor)");
    REQUIRE(schema.size() == 4);
    CHECK(schema[0].type == "Tensor[]");
    CHECK(schema[0].name == "self");
    CHECK(!schema[0].has_default);
    CHECK(schema[1].type == "int[2]");
    CHECK(schema[1].name == "size");
    CHECK(schema[1].has_default);
    CHECK(!schema[1].keyword_only);
    CHECK(schema[2].name == "mode");
    CHECK(schema[2].keyword_only);
    CHECK(schema[3].type == "Tensor?");
    CHECK(schema[3].keyword_only);
    CHECK(parse_operator_schema("() -> ()").empty());
    CHECK(parse_operator_schema("").empty());
}

TEST_CASE("operator schemas: every row of the rules has a name and a type for each argument") {
    const auto schemas = OperatorSchemas::load(base::DataStore());
    REQUIRE(schemas);
    CHECK(schemas->names().size() > 300);
    const char* letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    for (const std::string& name : schemas->names()) {
        CAPTURE(name);
        const auto* overloads = schemas->find(name);
        REQUIRE(overloads != nullptr);
        for (const OperatorSchema& schema : *overloads) {
            for (const SchemaArgument& argument : schema) {
                CAPTURE(argument.name);
                CHECK(!argument.type.empty());
                CHECK(argument.name.find_first_not_of(letters) == std::string::npos);
            }
        }
    }
    CHECK(schemas->find("npu_no_such_operator") == nullptr);
}
