#include "ckpt_convert/mapping/foreign_formats.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "ckpt_convert/app/inspect.h"
#include "tests/unit/ckpt_convert/app/convert_support.h"

namespace {

base::Error opened(test::MemoryFileSystem& fs, const std::string& directory) {
    auto source = ckpt::open_source(fs, test::knowledge(), test::options(directory, "").source);
    REQUIRE_FALSE(source);
    return source.error();
}

// A file that the format describes: "*/x_*.pt" is "0/x_0.pt".
std::string example_of(std::string pattern) {
    std::replace(pattern.begin(), pattern.end(), '*', '0');
    return pattern;
}

}  // namespace

TEST_CASE("foreign formats: each is named by each of its files, by every command, with what reads it") {
    for (const ckpt::ForeignFormat& format : test::knowledge().foreign.files) {
        for (const std::string& pattern : format.files) {
            CAPTURE(format.name);
            CAPTURE(pattern);
            test::MemoryFileSystem fs;
            fs.add(base::join("in", example_of(pattern)),
                   (format.begins.empty() ? "" : format.begins.front()) + "rest");
            base::Error error = opened(fs, "in");
            CHECK(error.kind == base::ErrorKind::unsupported);
            CHECK(error.message == "this is of the format " + format.name + ", which is not read; " + format.read_by);
            CHECK(error.where == base::join("in", example_of(pattern)));
            CHECK(test::failure(fs, test::options("in", "out")).message == error.message);
            auto seen = ckpt::inspect(fs, test::knowledge(), {"in", {}}, false);
            REQUIRE_FALSE(seen);
            CHECK(seen.error().message == error.message);
        }
    }
}

TEST_CASE("foreign formats: files beside weights that are read do not matter") {
    test::MemoryFileSystem fs;
    test::add_tiny_hf(fs, "hf", {});
    REQUIRE(test::convert(fs, test::reshard("hf", "mg", 2)));
    auto to_dist = test::reshard("hf", "dist");
    to_dist.torch_dist = true;
    REQUIRE(test::convert(fs, to_dist));
    for (const ckpt::ForeignFormat& format : test::knowledge().foreign.files) {
        for (const std::string& pattern : format.files) {
            CAPTURE(pattern);
            test::MemoryFileSystem with = fs;
            for (const char* directory : {"hf", "mg"}) {
                with.add(base::join(directory, example_of(pattern)), "GGUF");
                CHECK(ckpt::open_source(with, test::knowledge(), test::options(directory, "").source));
            }
        }
    }
    // torch_dist has the files of DCP, and is told from it by others.
    CHECK(ckpt::open_source(fs, test::knowledge(), test::options("dist", "").source));
    REQUIRE(fs.remove("dist/iter_0000001/metadata.json"));
    CHECK(opened(fs, "dist").text().find("metadata.json") != std::string::npos);
    REQUIRE(fs.remove("dist/iter_0000001/common.pt"));
    CHECK(opened(fs, "dist").message.find("metadata.json is missing") != std::string::npos);
}

TEST_CASE("foreign formats: one file that cannot be read is named too") {
    test::MemoryFileSystem fs;
    fs.add("model.gguf", "GGUF\3");
    auto seen = ckpt::inspect(fs, test::knowledge(), {"model.gguf", {}}, false);
    REQUIRE_FALSE(seen);
    CHECK(seen.error().message.starts_with("this is of the format GGUF, which is not read; transformers reads it"));
    // What has the ending of one and is another.
    fs.add("last.ckpt", "\x0a\x05hello");
    seen = ckpt::inspect(fs, test::knowledge(), {"last.ckpt", {}}, false);
    REQUIRE_FALSE(seen);
    CHECK(seen.error().message.starts_with("this is of the format MindSpore, "));
}

TEST_CASE("foreign formats: a quantised checkpoint whose format is not read is named") {
    for (const ckpt::ForeignQuantisation& one : test::knowledge().foreign.quantised) {
        for (const std::string& value : one.values) {
            CAPTURE(value);
            test::MemoryFileSystem fs;
            test::add_tiny_hf(fs, "hf", {});
            std::string config = fs.content("hf/config.json");
            config.insert(config.find('{') + 1, R"("quantization_config": {"quant_method": ")" + value + R"("},)");
            fs.add("hf/config.json", config);
            base::Error error = opened(fs, "hf");
            CHECK(error.kind == base::ErrorKind::unsupported);
            CHECK(error.message == "this is of the format " + one.name + ", which is not read; " + one.read_by);
            CHECK(error.where.starts_with("hf/config.json:1:"));
            auto seen = ckpt::inspect(fs, test::knowledge(), {"hf", {}}, false);
            REQUIRE(seen);
            CHECK(seen->find("not convertible") != std::string::npos);
        }
    }
}
