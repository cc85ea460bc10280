#include "ckpt_convert/formats/torch_dist/dist_metadata_writer.h"

#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/check.h"
#include "base/format.h"
#include "ckpt_convert/formats/pickle/opcodes.h"
#include "ckpt_convert/formats/pickle/scalar_writer.h"
#include "ckpt_convert/formats/torch_file/torch_dtypes.h"

namespace ckpt {
namespace {

namespace op = pickle::op;
using Extents = std::vector<std::uint64_t>;

// As CPython: bounds the stack of whoever loads the pickle.
constexpr std::size_t kBatch = 1000;

constexpr std::string_view kMetadataModule = "torch.distributed.checkpoint.metadata";
constexpr std::string_view kFileSystemModule = "torch.distributed.checkpoint.filesystem";

// Opcodes one after the other. What is the same everywhere is written once, and referred to after that.
class PickleText {
public:
    PickleText() : out_{op::kProto, 2} {}

    void opcode(char opcode) { out_ += opcode; }
    void integer(std::uint64_t value) { scalar(static_cast<std::int64_t>(value)); }
    void key(std::string_view text) {
        shared(texts_, text, [&] { scalar(std::string(text)); });
    }
    void global(std::string_view module, std::string_view name) {
        shared(name, [&] { scalar(pickle::Global{std::string(module), std::string(name)}); });
    }
    // cls.__new__(cls)
    void object(std::string_view module, std::string_view cls) {
        global(module, cls);
        out_ += op::kEmptyTuple;
        out_ += op::kNewObj;
    }
    // Between these come keys and values: the attributes of the last object.
    void begin_attributes() {
        out_ += op::kEmptyDict;
        out_ += op::kMark;
    }
    void end_attributes() {
        out_ += op::kSetItems;
        out_ += op::kBuild;
    }
    void size(const Extents& extents) {
        global("torch", "Size");
        out_ += op::kMark;
        for (std::uint64_t extent : extents) integer(extent);
        out_ += op::kTuple;
        out_ += op::kTuple1;
        out_ += op::kReduce;
    }

    // What `write` writes, or a reference to when it was written before under this name.
    template <class Write>
    void shared(std::string_view name, Write write) {
        shared(objects_, name, write);
    }
    // The same by number, for names that there are many of.
    std::uint32_t text(std::string_view text) {
        scalar(std::string(text));
        return put();
    }
    void get(std::uint32_t number) { numbered(op::kBinGet, op::kLongBinGet, number); }

    // To be called now and then: all that was written so far is packed.
    void pack() {
        text_.append(out_);
        out_.clear();
    }
    base::PackedText take() && {
        pack();
        return std::move(text_);
    }

private:
    using Numbers = std::unordered_map<std::string, std::uint32_t>;

    template <class Write>
    void shared(Numbers& numbers, std::string_view name, Write write) {
        if (auto known = numbers.find(std::string(name)); known != numbers.end()) {
            get(known->second);
            return;
        }
        write();
        numbers.emplace(name, put());
    }
    void scalar(pickle::Value::Variant value) { CHECK(pickle::append_scalar(out_, pickle::Value(std::move(value)))); }
    std::uint32_t put() {
        CHECK(next_number_ < UINT32_MAX);
        numbered(op::kBinPut, op::kLongBinPut, next_number_);
        return next_number_++;
    }
    void numbered(char short_opcode, char long_opcode, std::uint32_t number) {
        bool is_short = number < 256;
        out_ += is_short ? short_opcode : long_opcode;
        pickle::append_little_endian(out_, number, is_short ? 1 : 4);
    }

    std::string out_;
    base::PackedText text_;    // what is in front of it
    Numbers texts_, objects_;  // two, as a weight may have the name of an object
    std::uint32_t next_number_ = 0;
};

class MetadataWriter {
public:
    MetadataWriter(const std::vector<TorchDistItem>& items, const Grouped<std::uint32_t>& tensors,
                   const std::vector<DistPlace>& places, const std::vector<DistBytesEntry>& bytes)
        : items_(items), tensors_(tensors), places_(places), bytes_(bytes) {}

    base::PackedText write(bool keys) {
        out_.object(kMetadataModule, "Metadata");
        out_.begin_attributes();
        out_.key("state_dict_metadata");
        write_entries();
        out_.key("planner_data");
        if (keys) write_keys();
        else out_.opcode(op::kNone);
        out_.key("storage_data");
        write_storages();
        out_.key("storage_meta");
        out_.opcode(op::kNone);
        out_.end_attributes();
        out_.opcode(op::kStop);
        return std::move(out_).take();
    }

private:
    // A dict is filled in batches: to be called before each pair, with how many came before.
    void next_pair(std::size_t count) {
        out_.pack();
        if (count % kBatch != 0) return;
        if (count != 0) out_.opcode(op::kSetItems);
        out_.opcode(op::kMark);
    }

    void write_entries() {
        out_.opcode(op::kEmptyDict);
        std::size_t count = 0;
        names_.reserve(tensors_.size() + bytes_.size());
        for (std::size_t i = 0; i < tensors_.size(); ++i) {
            next_pair(count++);
            names_.push_back(out_.text(items_[tensors_[i].front()].name.joined()));
            write_tensor(tensors_[i]);
        }
        for (const DistBytesEntry& entry : bytes_) {
            next_pair(count++);
            names_.push_back(out_.text(entry.name.joined()));
            out_.object(kMetadataModule, "BytesStorageMetadata");
        }
        if (count != 0) out_.opcode(op::kSetItems);
    }

    // name -> the keys that lead to it
    void write_keys() {
        out_.opcode(op::kEmptyDict);
        std::size_t count = 0;
        auto write = [&](std::uint32_t number, const DistName& name) {
            next_pair(count++);
            out_.get(number);
            out_.opcode(op::kMark);
            for (const DistKey& key : name.keys()) {
                if (const auto* text = std::get_if<std::string>(&key)) out_.key(*text);
                else out_.integer(std::get<std::uint64_t>(key));
            }
            out_.opcode(op::kTuple);
        };
        for (std::size_t i = 0; i < tensors_.size(); ++i) write(names_[i], items_[tensors_[i].front()].name);
        for (std::size_t i = 0; i < bytes_.size(); ++i) write(names_[tensors_.size() + i], bytes_[i].name);
        if (count != 0) out_.opcode(op::kSetItems);
    }

    void write_tensor(std::span<const std::uint32_t> tensor) {
        const TorchDistItem& first = items_[tensor.front()];
        out_.object(kMetadataModule, "TensorStorageMetadata");
        out_.begin_attributes();
        out_.key("properties");
        write_properties(first.dtype);
        out_.key("size");
        out_.size(first.global_shape);
        out_.key("chunks");
        out_.opcode(op::kEmptyList);
        for (std::size_t i = 0; i < tensor.size(); ++i) {
            if (i % kBatch == 0) out_.opcode(op::kMark);
            write_chunk(items_[tensor[i]]);
            if ((i + 1) % kBatch == 0 || i + 1 == tensor.size()) out_.opcode(op::kAppends);
        }
        out_.end_attributes();
    }

    // Their state is a tuple: type, layout, requires_grad, memory format, pin_memory.
    void write_properties(DType dtype) {
        out_.object(kMetadataModule, "TensorProperties");
        std::string_view name = *torch_name(dtype);
        out_.shared(base::format("properties of {}", name), [&] {
            out_.opcode(op::kMark);
            out_.global("torch", name);
            out_.shared("layout", [&] {
                out_.global("torch.serialization", "_get_layout");
                out_.key("torch.strided");
                out_.opcode(op::kTuple1);
                out_.opcode(op::kReduce);
            });
            out_.opcode(op::kNewFalse);
            // By value: how enumerations are pickled by name depends on the version of Python.
            out_.shared("memory format", [&] {
                out_.global(kMetadataModule, "_MEM_FORMAT_ENCODING");
                out_.integer(0);
                out_.opcode(op::kTuple1);
                out_.opcode(op::kReduce);
            });
            out_.opcode(op::kNewFalse);
            out_.opcode(op::kTuple);
        });
        out_.opcode(op::kBuild);
    }

    void write_chunk(const TorchDistItem& item) {
        out_.object(kMetadataModule, "ChunkStorageMetadata");
        out_.begin_attributes();
        out_.key("offsets");
        out_.size(item.chunk_offsets);
        out_.key("sizes");
        out_.size(item.chunk_sizes);
        out_.end_attributes();
    }

    void write_storages() {
        out_.opcode(op::kEmptyDict);
        std::size_t count = 0;
        for (std::size_t i = 0; i < tensors_.size(); ++i) {
            for (std::size_t chunk = 0; chunk < tensors_[i].size(); ++chunk) {
                next_pair(count++);
                write_index(names_[i], chunk, &items_[tensors_[i][chunk]].chunk_offsets.get());
                write_place(places_[tensors_[i][chunk]]);
            }
        }
        for (std::size_t i = 0; i < bytes_.size(); ++i) {
            next_pair(count++);
            write_index(names_[tensors_.size() + i], 0, nullptr);
            write_place(bytes_[i].place);
        }
        if (count != 0) out_.opcode(op::kSetItems);
    }

    // Without offsets for bytes. The index is a hint of where to look among the chunks.
    void write_index(std::uint32_t name, std::size_t index, const Extents* offsets) {
        out_.object(kMetadataModule, "MetadataIndex");
        out_.begin_attributes();
        out_.key("fqn");
        out_.get(name);
        out_.key("index");
        if (offsets != nullptr) {
            out_.integer(index);
            out_.key("offset");
            out_.size(*offsets);
        } else {
            out_.opcode(op::kNone);
        }
        out_.end_attributes();
    }

    void write_place(const DistPlace& place) {
        out_.object(kFileSystemModule, "_StorageInfo");
        out_.begin_attributes();
        out_.key("relative_path");
        out_.key(dist_file_name(place.file));
        out_.key("offset");
        out_.integer(place.offset);
        out_.key("length");
        out_.integer(place.bytes);
        out_.end_attributes();
    }

    const std::vector<TorchDistItem>& items_;
    const Grouped<std::uint32_t>& tensors_;
    const std::vector<DistPlace>& places_;
    const std::vector<DistBytesEntry>& bytes_;
    PickleText out_;
    std::vector<std::uint32_t> names_;  // memo numbers, of the tensors and then of the bytes
};

}  // namespace

std::string dist_file_name(std::uint32_t file) { return base::format("__0_{}.distcp", file); }

base::PackedText dist_metadata_pickle(const std::vector<TorchDistItem>& items, const Grouped<std::uint32_t>& tensors,
                                      const std::vector<DistPlace>& places, const std::vector<DistBytesEntry>& bytes,
                                      bool keys) {
    return MetadataWriter(items, tensors, places, bytes).write(keys);
}

}  // namespace ckpt
