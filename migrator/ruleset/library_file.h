// LibraryFile: the result of library mode as its JSON has it (docs/reference/library-schema.md).
#pragma once

#include <string>
#include <vector>

#include "base/record.h"

namespace migrator {

struct LibrarySchema {
    static constexpr std::string_view kName = "migrator-library/1";
};

struct LibraryTool {
    std::string name, version;
};
constexpr auto record_of(const LibraryTool*) {
    return base::record("tool", "the program", base::field("name", &LibraryTool::name, "its name").always(),
                        base::field("version", &LibraryTool::version, "its version").always());
}

// One way from a function to what the NPU lacks.
struct LibraryReach {
    std::string subject;  // "torch.std_mean"
    std::string rule;
    std::string message;
    std::string place;               // in the library: "lib/ops.py:8"
    std::vector<std::string> chain;  // "lib.f", "lib.ops.g"

    std::string way() const;  // "lib.f -> lib.ops.g -> torch.std_mean"
};
constexpr auto record_of(const LibraryReach*) {
    using base::field;
    return base::record(
        "reach", "a way from a function to what the NPU lacks",
        field("subject", &LibraryReach::subject, "what does not work").always(),
        field("rule", &LibraryReach::rule, "the rule that says so").always(),
        field("message", &LibraryReach::message, "what it says").always(),
        field("place", &LibraryReach::place, "`path:line`").always(),
        field("chain", &LibraryReach::chain, "the functions on the way, the one with the obstacle last").always());
}

struct LibraryEntry {
    std::vector<std::string> names;  // by which code outside knows it
    std::string kind;                // "module", "class", "function", "method"
    std::string place;
    std::vector<LibraryReach> reaches;
};
constexpr auto record_of(const LibraryEntry*) {
    using base::field;
    return base::record("function", "a function, method, class or module that leads to an obstacle",
                        field("names", &LibraryEntry::names, "by which code outside knows it").always(),
                        field("kind", &LibraryEntry::kind, "what it is").always(),
                        field("place", &LibraryEntry::place, "`path:line`").always(),
                        field("reaches", &LibraryEntry::reaches, "one way for every obstacle").always());
}

struct LibraryClass {
    std::vector<std::string> names;
    std::string base;  // empty: not known
    std::vector<std::string> methods;
};
constexpr auto record_of(const LibraryClass*) {
    using base::field;
    return base::record("class", "a class with methods that lead to an obstacle",
                        field("names", &LibraryClass::names, "by which code outside knows it").always(),
                        field("base", &LibraryClass::base, "the nearest base class outside of the library").always(),
                        field("methods", &LibraryClass::methods, "that lead to an obstacle").always());
}

struct LibraryFile {
    LibrarySchema schema;
    LibraryTool tool;
    std::string framework_version;
    std::vector<LibraryEntry> functions;
    std::vector<LibraryClass> classes;
};
constexpr auto record_of(const LibraryFile*) {
    using base::field;
    return base::record("library", "what functions of a library lead to",
                        field("schema", &LibraryFile::schema, "what the file is").always(),
                        field("tool", &LibraryFile::tool, "the program").always(),
                        field("framework_version", &LibraryFile::framework_version, "of the analysis").always(),
                        field("functions", &LibraryFile::functions, "sorted by their own name").always(),
                        field("classes", &LibraryFile::classes, "so that calls through objects are found").always());
}

}  // namespace migrator

template <>
struct base::InJson<migrator::LibrarySchema> {
    static Result<migrator::LibrarySchema> read(const JsonPlace& at);
    static void write(JsonWriter& out, migrator::LibrarySchema schema) { out.string(schema.kName); }
};
