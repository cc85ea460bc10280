// Conversions in memory, for tests of the whole pipeline.
#pragma once

#include <doctest/doctest.h>

#include <map>
#include <string>

#include "base/data_store.h"
#include "ckpt_convert/app/convert.h"
#include "ckpt_convert/checkpoint/hf_checkpoint.h"
#include "ckpt_convert/checkpoint/megatron_checkpoint.h"
#include "tests/unit/ckpt_convert/tiny_hf.h"

namespace test {

inline const base::DataStore& data_store() {
    static const base::DataStore store;
    return store;
}

inline const ckpt::Knowledge& knowledge() {
    static const ckpt::Knowledge instance = *ckpt::Knowledge::load(data_store());
    return instance;
}

inline base::Result<ckpt::ConvertSummary> convert(base::FileSystem& fs, const ckpt::ConvertOptions& options) {
    ckpt::ConvertObserver nobody;
    return ckpt::convert(fs, knowledge(), data_store(), options, nobody);
}

// To Megatron from Hugging Face, and back.
inline ckpt::ConvertOptions options(const std::string& from, const std::string& to, int tp = 1, int pp = 1) {
    ckpt::ConvertOptions out;
    out.source.directory = from;
    out.save_dir = to;
    out.topology.tp = tp;
    out.topology.pp = pp;
    out.topology_given = tp > 1 || pp > 1;
    out.threads = 2;
    return out;
}

// To another Megatron layout.
inline ckpt::ConvertOptions reshard(const std::string& from, const std::string& to, int tp = 1, int pp = 1) {
    ckpt::ConvertOptions out = options(from, to, tp, pp);
    out.to = ckpt::Side::megatron;
    return out;
}

// Every tensor of a Hugging Face directory by name, with its shape and bytes.
inline std::map<std::string, std::string> tensors_of(MemoryFileSystem& fs, const std::string& directory) {
    auto index = ckpt::open_hf_weights(fs, directory);
    REQUIRE(index);
    std::map<std::string, std::string> out;
    for (const auto& tensor : index->tensors) {
        std::string bytes(tensor.bytes(), '\0');
        REQUIRE(index->files[tensor.file]->read_at(tensor.offset,
                                                   std::as_writable_bytes(std::span(bytes.data(), bytes.size()))));
        out[tensor.name] = ckpt::to_string(tensor.shape) + bytes;
    }
    return out;
}

// Puts `bytes` over those of a Hugging Face tensor, from the byte `at` on.
inline void set_bytes(MemoryFileSystem& fs, const std::string& directory, const std::string& tensor, std::size_t at,
                      const std::string& bytes) {
    auto index = ckpt::open_hf_weights(fs, directory);
    REQUIRE(index);
    for (const auto& candidate : index->tensors) {
        if (candidate.name != tensor) continue;
        REQUIRE(at + bytes.size() <= candidate.bytes());
        base::Path path = index->files[candidate.file]->path();
        std::string content = fs.content(path);
        fs.add(path, content.replace(candidate.offset + at, bytes.size(), bytes));
        return;
    }
    FAIL("no such tensor: ", tensor);
}

// The tensors of a Megatron directory: "mp_rank_01 model/output_layer.weight", with their bytes.
inline std::map<std::string, std::string> megatron_tensors(MemoryFileSystem& fs, const std::string& directory) {
    auto checkpoint = ckpt::open_megatron_checkpoint(fs, directory);
    REQUIRE_MESSAGE(checkpoint, checkpoint.error().text());
    std::map<std::string, std::string> out;
    for (const auto& tensor : checkpoint->index.tensors) {
        auto& file = *checkpoint->index.files[tensor.file];
        std::string bytes(tensor.bytes(), '\0');
        REQUIRE(file.read_at(tensor.offset, std::as_writable_bytes(std::span(bytes.data(), bytes.size()))));
        out[std::string(base::file_name(base::parent(file.path()))) + " " + tensor.name.get()] = bytes;
    }
    return out;
}

// Converts and expects failure; nothing may be left behind.
inline base::Error failure(MemoryFileSystem& fs, const ckpt::ConvertOptions& bad) {
    auto before = fs.files();
    auto result = convert(fs, bad);
    REQUIRE_FALSE(result);
    CHECK(fs.files() == before);
    CHECK_FALSE(fs.exists(bad.save_dir));
    return result.error();
}

}  // namespace test
