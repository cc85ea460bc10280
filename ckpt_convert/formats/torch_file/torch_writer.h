// Plans a file that torch.load(weights_only=True) reads: a zip archive with one pickle and one record per tensor.
//
//   data.pkl | byteorder | version | data/0 | data/1 | ...
//
// All offsets are known before a payload byte is written; headers and checksums follow at the end (see ZipLayout).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ckpt_convert/base_names.h"
#include "ckpt_convert/formats/pickle/value.h"
#include "ckpt_convert/formats/zip/zip_layout.h"
#include "ckpt_convert/tensor/dtype.h"
#include "ckpt_convert/tensor/shape.h"

namespace ckpt {

// Builds the value tree of a torch file; tensors are numbered in the order they are made.
class TorchFilePlan {
public:
    pickle::Arena& arena() { return arena_; }

    // Small helpers for the tree.
    pickle::Value* string(std::string text);
    pickle::Value* integer(std::int64_t value);
    pickle::Value* real(double value);
    pickle::Value* boolean(bool value);
    pickle::Value* none();
    pickle::Value* dict();
    pickle::Value* list();
    pickle::Value* tuple(std::vector<pickle::Ref> items);
    // A tuple, such as a shape: the same one for equal values.
    pickle::Value* integers(const std::vector<std::uint64_t>& values);
    pickle::Value* dtype(DType dtype);                       // torch.bfloat16
    pickle::Value* namespace_of(pickle::Value* attributes);  // argparse.Namespace with a dict of attributes
    // A dense tensor on the CPU with its own storage, data/<number>. `unsupported` for types that PyTorch lacks.
    Result<pickle::Value*> tensor(DType dtype, const Shape& shape);
    // The same with a payload that is known already, which is not among the numbered ones.
    Result<pickle::Value*> tensor(DType dtype, const Shape& shape, std::string payload);
    pickle::Value* scalar(float value);                              // a tensor without axes
    pickle::Value* size(const std::vector<std::uint64_t>& extents);  // torch.Size
    // What Python would make by calling MODULE.NAME; `is_new`: by its __new__ instead, and `state` is set then.
    pickle::Value* call(std::string_view module, std::string_view name, std::vector<pickle::Ref> args,
                        bool is_new = false, pickle::Ref state = nullptr);
    pickle::Value* global(std::string_view module, std::string_view name);
    // Keys must be new to the dict.
    static void set(pickle::Value* dict, pickle::Value* key, pickle::Value* value);

    // Lays the file out around `root`, and gives up all values made here. To be called once, last.
    Status finish(pickle::Ref root);

    std::size_t tensor_count() const { return tensor_bytes_.size(); }
    std::uint64_t tensor_bytes(std::size_t index) const { return tensor_bytes_[index]; }
    std::uint64_t tensor_offset(std::size_t index) const { return zip_.payload_offset(small_records_.size() + index); }
    std::uint64_t file_bytes() const { return zip_.file_bytes(); }
    // Everything but the tensors' payloads, given the CRC-32 of each payload by tensor number.
    std::vector<FileChunk> chunks(const std::vector<std::uint32_t>& tensor_crc32) const;

private:
    Result<pickle::Value*> stored_tensor(DType dtype, const Shape& shape, std::string key);
    void add_small_record(const char* name, std::string content);

    pickle::Arena arena_;
    std::unordered_map<std::string, pickle::Value*> globals_;  // by "module.name"
    std::map<std::vector<std::uint64_t>, pickle::Value*> integers_;
    // What all tensors have in common; made with the first.
    struct Common {
        pickle::Value* storage = nullptr;  // "storage"
        pickle::Value* cpu = nullptr;      // "cpu"
        pickle::Value* zero = nullptr;
        pickle::Value* no_gradient = nullptr;  // False
        pickle::Value* nothing = nullptr;      // ()
    };
    Common common_;
    std::vector<std::pair<std::string, std::string>> known_;  // records of tensors with a known payload
    std::vector<std::uint64_t> tensor_bytes_;
    std::vector<FileChunk> small_records_;  // the first is the pickle, packed
    std::vector<std::uint32_t> small_crc32_;
    ZipLayout zip_;
};

}  // namespace ckpt
