// Formats of checkpoints that are not read: by which files or settings they are recognised, and what reads them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/data_store.h"
#include "ckpt_convert/mapping/rule_json.h"

namespace ckpt {

// An entry of rules/formats/foreign.json.
struct ForeignFormat {
    std::string name;
    std::vector<std::string> files;       // "*/zero_*.pt": paths in the directory, or a file's own name; any of them
    std::vector<std::string> without;     // names that must not stand next to it
    std::vector<std::string> begins;      // bytes that it begins with, one of these; empty: whatever
    std::vector<std::string> begins_not;  // and none of these
    std::string read_by;                  // what to do
    std::vector<std::string> source;

    Status check(const base::JsonPlace& at);
};
constexpr auto record_of(const ForeignFormat*) {
    using base::field;
    using Format = ForeignFormat;
    return base::record("foreign_format", "a checkpoint of a format that is not read",
                        field("name", &Format::name, "what it is called").needed(),
                        field("files", &Format::files, "paths in the directory, or a file's own name; any of them"),
                        field("without", &Format::without, "names that must not stand next to it"),
                        field("begins", &Format::begins, "bytes that it begins with, hexadecimal; one of these"),
                        field("begins_not", &Format::begins_not, "and none of these"),
                        field("read_by", &Format::read_by, "what to do").needed(),
                        field("source", &Format::source, "where that stands"));
}

// A way to quantise weights, as config.json names it.
struct ForeignQuantisation {
    std::string name;
    std::string config;  // dotted path
    std::vector<std::string> values;
    std::string read_by;
    std::vector<std::string> source;
};
constexpr auto record_of(const ForeignQuantisation*) {
    using base::field;
    using Format = ForeignQuantisation;
    return base::record("foreign_quantisation", "a way to quantise weights that is not read",
                        field("name", &Format::name, "what it is called").needed(),
                        field("config", &Format::config, "the dotted path in config.json that names it").needed(),
                        field("values", &Format::values, "what stands there, one of these"),
                        field("read_by", &Format::read_by, "what to do").needed(),
                        field("source", &Format::source, "where that stands"));
}

struct ForeignFormats {
    std::vector<ForeignFormat> files;
    std::vector<ForeignQuantisation> quantised;

    static Result<ForeignFormats> load(const base::DataStore& store);

    // Fails with unsupported when the directory, or the file, is one of these.
    Status refuse(base::FileSystem& fs, const Path& path) const;
    Status refuse_quantised(const JsonDocument& config) const;
};

}  // namespace ckpt
