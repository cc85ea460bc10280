// A family of a test's own beside the built-in ones, and its checkpoints.
#pragma once

#include <string>
#include <vector>

#include "ckpt_convert/formats/safetensors/safetensors.h"
#include "tests/unit/ckpt_convert/app/convert_support.h"

namespace test {

// `family`: the text of a mapping file.
inline ckpt::Knowledge knowledge_with(const std::string& family) {
    MemoryFileSystem fs;
    fs.add("rules/models/mine.json", family);
    base::DataStore store;
    REQUIRE(store.overlay(fs, "rules", "rules"));
    auto loaded = ckpt::Knowledge::load(store);
    REQUIRE_MESSAGE(loaded, loaded.error().text());
    return std::move(*loaded);
}

// Writes hf/config.json and hf/model.safetensors, where bytes tell the tensors apart.
inline MemoryFileSystem checkpoint_of(const std::vector<ckpt::SafetensorsTensor>& tensors, const std::string& config) {
    auto layout = ckpt::plan_safetensors(tensors, {{"format", "pt"}});
    REQUIRE(layout);
    std::string file = layout->header;
    for (std::size_t i = file.size(); i < layout->file_bytes; ++i) file += static_cast<char>(i * 7);
    MemoryFileSystem fs;
    fs.add("hf/model.safetensors", std::move(file));
    fs.add("hf/config.json", config);
    return fs;
}

inline base::Result<ckpt::ConvertSummary> convert(MemoryFileSystem& fs, const ckpt::Knowledge& knowledge,
                                                  const ckpt::ConvertOptions& options) {
    ckpt::ConvertObserver nobody;
    return ckpt::convert(fs, knowledge, data_store(), options, nobody);
}

inline ckpt::Source open(MemoryFileSystem& fs, const ckpt::Knowledge& knowledge, const std::string& directory) {
    ckpt::SourceOptions options;
    options.directory = directory;
    auto source = ckpt::open_source(fs, knowledge, options);
    REQUIRE_MESSAGE(source, source.error().text());
    return std::move(*source);
}

}  // namespace test
