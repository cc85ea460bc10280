// What the tests of torch_dist share: checkpoints in memory, planned ones and ones of which every part can be wrong.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ckpt_convert/formats/torch_dist/torch_dist_reader.h"
#include "ckpt_convert/formats/torch_dist/torch_dist_writer.h"
#include "tests/unit/ckpt_convert/formats/raw_torch_pickle.h"

namespace test {

// A directory, so that messages name a place that starts with "f", see check_fails.
inline constexpr const char* kDist = "f";

// The payload of an item: its number in every byte.
inline std::string item_payload(const ckpt::TorchDistItem& item, std::size_t number) {
    return std::string(*ckpt::checked_bytes(item.chunk_sizes, item.dtype), static_cast<char>('A' + number % 50));
}

inline base::Result<ckpt::pickle::Value*> small_common_state(ckpt::TorchFilePlan& file) {
    auto* root = file.dict();
    auto* args = file.dict();
    file.set(args, file.string("num_layers"), file.integer(2));
    file.set(root, file.string("args"), file.namespace_of(args));
    return root;
}

// Writes what is planned; gives the plan.
inline std::vector<ckpt::TorchDistFile> store(MemoryFileSystem& fs, const ckpt::TorchDistContent& content) {
    auto files = ckpt::plan_torch_dist(content);
    REQUIRE_MESSAGE(files.has_value(), files.error().text());
    for (const auto& planned : *files) {
        std::string bytes(planned.bytes, '\xEE');
        std::vector<std::uint32_t> crcs;
        REQUIRE(planned.items.size() == planned.offsets.size());
        for (std::size_t i = 0; i < planned.items.size(); ++i) {
            std::string payload = item_payload(content.items[planned.items[i]], planned.items[i]);
            place(bytes, planned.offsets[i], payload);
            crcs.push_back(ckpt::crc32(base::as_bytes(payload)));
        }
        for (const auto& chunk : planned.chunks(crcs)) place(bytes, chunk.offset, chunk.data);
        REQUIRE(bytes.size() == planned.bytes);
        fs.add(base::join(kDist, planned.path), std::move(bytes));
    }
    return std::move(*files);
}

namespace raw {

inline constexpr base::ErrorKind kBad = base::ErrorKind::bad_input;
inline constexpr base::ErrorKind kUnsupported = base::ErrorKind::unsupported;

inline std::string none() { return "N"; }
inline std::string size_of(const std::vector<std::int64_t>& extents) {
    return global("torch", "Size") + numbers(extents) + "\x85R";
}
inline std::string object(std::string_view module, std::string_view cls, const std::string& attributes) {
    std::string bare = global(module, cls) + ")\x81";
    return attributes.empty() ? bare : bare + "}(" + attributes + "ub";
}
inline std::string dict(const std::string& items) { return "}(" + items + "u"; }
inline std::string list(const std::string& items) { return "](" + items + "e"; }

// A checkpoint of one tensor, two rows of three floats, in one chunk; and one entry of bytes.
struct RawDist {
    std::string module = "torch.distributed.checkpoint.metadata";
    std::string properties_module = module;
    std::string filesystem_module = "torch.distributed.checkpoint.filesystem";

    std::string json = R"({"sharded_backend":"torch_dist","sharded_backend_version":1})";
    std::string item = default_item();
    std::string common = {};  // common.pt, if any
    std::string path = text("__0_0.distcp");
    std::string dtype = global("torch", "float32");
    std::string memory_format = tuple(number(0)) + "R";  // a call of the enumeration
    std::string size = size_of({2, 3});
    std::string chunks = list(chunk({0, 0}, {2, 3}));
    std::string offset = text("offset") + size_of({0, 0});
    std::string item_offset = number(5);
    std::string item_bytes = {};
    std::string bytes_place = place(number(1), number(4));
    std::string transforms = {};
    std::string more_entries = {};
    std::string more_storages = {};
    std::string more_attributes = {};
    std::string metadata = {};  // instead of all of this

    static std::string default_item() {
        ckpt::TorchFilePlan plan;
        auto tensor = plan.tensor(ckpt::DType::f32, {2, 3});
        REQUIRE(plan.finish(*tensor));
        return assemble(plan, {std::string(24, 'x')});
    }

    std::string chunk(const std::vector<std::int64_t>& offsets, const std::vector<std::int64_t>& sizes) const {
        return object(module, "ChunkStorageMetadata",
                      text("offsets") + size_of(offsets) + text("sizes") + size_of(sizes));
    }
    std::string index(std::string_view fqn, const std::string& attributes) const {
        return object(module, "MetadataIndex", text("fqn") + text(fqn) + text("index") + none() + attributes);
    }
    std::string place(const std::string& begin, const std::string& length, const std::string& more = {}) const {
        return object(filesystem_module, "_StorageInfo",
                      text("relative_path") + path + text("offset") + begin + text("length") + length + more);
    }
    std::string tensor() const {
        std::string layout = global("torch.serialization", "_get_layout") + text("torch.strided") + "\x85R";
        std::string state =
            tuple(dtype + layout + "\x89" + global(properties_module, "_MEM_FORMAT_ENCODING") + memory_format + "\x89");
        std::string properties = global(properties_module, "TensorProperties") + ")\x81" + state + "b";
        return object(module, "TensorStorageMetadata",
                      text("properties") + properties + text("size") + size + text("chunks") + chunks);
    }

    std::string metadata_bytes() const {
        if (!metadata.empty()) return metadata;
        std::string length = item_bytes.empty() ? number(static_cast<std::int64_t>(item.size())) : item_bytes;
        std::string entries = text("w") + tensor() + text("k/shard_0_1") + object(module, "BytesStorageMetadata", {});
        std::string storages =
            index("w", offset) + place(item_offset, length, transforms) + index("k/shard_0_1", {}) + bytes_place;
        return pickled(object(module, "Metadata",
                              text("state_dict_metadata") + dict(entries + more_entries) + text("planner_data") +
                                  none() + text("storage_data") + dict(storages + more_storages) +
                                  text("storage_meta") + none() + more_attributes));
    }

    MemoryFileSystem files() const {
        MemoryFileSystem fs;
        fs.add("f/metadata.json", json);
        fs.add("f/.metadata", metadata_bytes());
        fs.add("f/__0_0.distcp", "12345" + item + "678");
        if (!common.empty()) fs.add("f/common.pt", common);
        return fs;
    }
};

inline base::Result<ckpt::TorchDistIndex> read(const RawDist& dist, const ckpt::TorchDistOptions& options = {}) {
    MemoryFileSystem fs = dist.files();
    return ckpt::read_torch_dist(fs, kDist, options);
}

// What is changed of a sound checkpoint, and how it is refused.
struct DistRow {
    const char* name;
    std::function<void(RawDist&)> spoil;
    base::ErrorKind kind = base::ErrorKind::bad_input;
    const char* message = "";
};

inline void check_refused(const std::vector<DistRow>& rows) {
    for (const DistRow& row : rows) {
        CAPTURE(std::string(row.name));
        RawDist dist;
        row.spoil(dist);
        check_fails(read(dist), row.kind, row.message);
    }
}

// The bytes of the torch file around what `build` makes.
inline std::string torch_file(const std::function<ckpt::pickle::Ref(ckpt::TorchFilePlan&)>& build) {
    ckpt::TorchFilePlan plan;
    REQUIRE(plan.finish(build(plan)));
    return assemble(plan, {});
}

}  // namespace raw
}  // namespace test
