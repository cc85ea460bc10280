#include "ckpt_convert/checkpoint/tensor_index.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "base/format.h"
#include "ckpt_convert/formats/lfs_pointer.h"
#include "ckpt_convert/formats/safetensors/safetensors.h"
#include "ckpt_convert/formats/torch_file/torch_reader.h"

namespace ckpt {
namespace {

Status add_safetensors(TensorIndex& index, base::ReadableFile& file, std::uint32_t number) {
    TRY_ASSIGN(SafetensorsHeader header, read_safetensors_header(file));
    for (SafetensorsEntry& entry : header.entries) {
        auto strides = row_major_strides(entry.shape);
        index.tensors.push_back({std::move(entry.name), entry.dtype, std::move(entry.shape), number, entry.offset,
                                 std::move(strides), true});
    }
    return {};
}

Status add_torch_state_dict(TensorIndex& index, base::ReadableFile& file, std::uint32_t number) {
    TRY_ASSIGN(TorchFile torch_file, TorchFile::read(file));
    const auto* items = pickle::mapping_items(torch_file.root());
    if (items == nullptr) {
        return base::fail(ErrorKind::bad_input,
                          "this torch file holds " + torch_file.root()->kind_name() +
                              ", not a dict of tensors; is it a weight file of a Hugging Face checkpoint?",
                          file.path());
    }
    for (const auto& [key, value] : *items) {
        const auto* name = key->as<std::string>();
        TRY_ASSIGN(auto tensor, torch_file.tensor(value));
        if (name == nullptr || !tensor) continue;
        index.tensors.push_back({*name, tensor->dtype, std::move(tensor->shape), number, tensor->file_offset,
                                 std::move(tensor->strides), tensor->contiguous});
    }
    return {};
}

// A value of a pickle, and how the container around it leads there.
struct Member {
    std::size_t around = 0;     // of the containers that are open
    pickle::Ref key = nullptr;  // of a mapping; else its number counts
    std::size_t number = 0;
    pickle::Ref value = nullptr;
};

// Of a list, a tuple or a mapping: its members, the last one first. False: it is something else.
bool add_members(pickle::Ref value, std::size_t around, std::vector<Member>& out) {
    const auto* items = pickle::mapping_items(value);
    const auto* list = value->as<pickle::List>();
    const auto* tuple = value->as<pickle::Tuple>();
    const auto* numbered = list != nullptr ? &list->items : tuple != nullptr ? &tuple->items : nullptr;
    if (items == nullptr && numbered == nullptr) return false;
    for (std::size_t i = items != nullptr ? items->size() : numbered->size(); i-- > 0;) {
        if (items != nullptr) out.push_back({around, (*items)[i].first, i, (*items)[i].second});
        else out.push_back({around, nullptr, i, (*numbered)[i]});
    }
    return true;
}

std::string way_part(const Member& member) {
    if (member.key == nullptr) return std::to_string(member.number);
    const auto* text = member.key->as<std::string>();
    const auto* number = member.key->as<std::int64_t>();
    return text != nullptr ? *text : number != nullptr ? std::to_string(*number) : "?";
}

constexpr int kMaxLevels = 64;
constexpr std::size_t kMaxNameBytes = 1024;

// All tensors in a value. Only those get names: what else is there knows the container around it and no more.
class NestedTensors {
public:
    NestedTensors(TensorIndex& index, const TorchFile& file, const Path& path, std::uint32_t number)
        : index_(index), file_(file), path_(path), number_(number) {}

    Status run() {
        containers_.push_back({{}, 0});
        TRY(visit({0, nullptr, 0, file_.root()}, 0));
        while (!open_.empty()) {
            const Member member = open_.back();
            open_.pop_back();
            TRY(visit(member, containers_[member.around].level));
        }
        return {};
    }

private:
    struct Container {
        Member self;
        int level = 0;
    };

    Status visit(const Member& member, int level) {
        TRY_ASSIGN(auto tensor, file_.tensor(member.value));
        if (tensor) {
            TRY_ASSIGN(std::string name, name_of(member));
            index_.tensors.push_back({std::move(name), tensor->dtype, std::move(tensor->shape), number_,
                                      tensor->file_offset, std::move(tensor->strides), tensor->contiguous});
            return {};
        }
        // A pickle may name one value many times, and in itself.
        if (seen_.contains(member.value) || !add_members(member.value, containers_.size(), open_)) return {};
        seen_.insert(member.value);
        if (level == kMaxLevels) {
            return base::fail(
                ErrorKind::bad_input,
                base::format("values are nested deeper than {} levels, which no checkpoint needs", kMaxLevels), path_);
        }
        containers_.push_back({member, level + 1});
        return {};
    }

    Result<std::string> name_of(const Member& member) const {
        std::vector<std::string> parts;
        std::size_t bytes = 0;
        for (const Member* at = &member; at->around != 0; at = &containers_[at->around].self) {
            parts.push_back(way_part(*at));
            bytes += parts.back().size() + (parts.size() > 1 ? 1 : 0);
            TRY(check_way(bytes, path_));
        }
        std::ranges::reverse(parts);
        return base::joined(parts, "/");
    }

    TensorIndex& index_;
    const TorchFile& file_;
    const Path& path_;
    const std::uint32_t number_;
    std::vector<Container> containers_;  // the first one is around the root
    std::vector<Member> open_;
    std::unordered_set<pickle::Ref> seen_;
};

Status add_nested_tensors(TensorIndex& index, base::ReadableFile& file, std::uint32_t number) {
    TRY_ASSIGN(const TorchFile torch_file, TorchFile::read(file));
    return NestedTensors(index, torch_file, file.path(), number).run();
}

// safetensors begin with the length of a JSON object, which is below 2^40, and the object.
bool looks_like_safetensors(std::string_view start) {
    constexpr std::size_t kLengthBytes = sizeof(std::uint64_t);
    return start.size() > kLengthBytes && start.substr(5, 3) == std::string_view("\0\0\0", 3) &&
           start[kLengthBytes] == '{';
}

// By its first bytes, or by its name, which says whose reader knows best what is wrong with it.
bool is_torch(std::string_view start, std::string_view path) {
    if (start.starts_with("PK\x03\x04")) return true;
    if (looks_like_safetensors(start)) return false;
    auto ends = [&](std::string_view ending) { return path.ends_with(ending); };
    return start.starts_with('\x80') || ends(".pt") || ends(".pth") || ends(".bin") || ends(".ckpt");
}

Result<std::string> first_bytes(base::ReadableFile& file, std::uint64_t count) {
    std::string start(std::min<std::uint64_t>(file.size(), count), '\0');
    TRY(file.read_at(0, std::as_writable_bytes(std::span(start.data(), start.size()))));
    return start;
}

}  // namespace

Status check_way(std::size_t bytes, const Path& path) {
    if (bytes <= kMaxNameBytes) return {};
    return base::fail(ErrorKind::bad_input,
                      base::format("the keys that lead to a tensor have more than {} bytes, which no checkpoint needs",
                                   kMaxNameBytes),
                      path);
}

void add_index(TensorIndex& index, const TensorIndex& other) {
    auto first_file = static_cast<std::uint32_t>(index.files.size());
    index.files.insert(index.files.end(), other.files.begin(), other.files.end());
    index.tensors.reserve(index.tensors.size() + other.tensors.size());
    for (IndexedTensor tensor : other.tensors) {
        tensor.file += first_file;
        index.tensors.push_back(std::move(tensor));
    }
}

std::uint64_t IndexedTensor::elements() const { return checked_elements(shape).value_or(0); }

std::uint64_t IndexedTensor::bytes() const { return checked_bytes(shape, dtype).value_or(0); }

void TensorIndex::give_axes() {
    for (IndexedTensor& tensor : tensors) {
        if (tensor.shape.empty()) tensor.shape = {1}, tensor.strides = {1};
    }
}

void TensorIndex::take_out(const std::vector<bool>& gone) {
    std::vector<IndexedTensor> kept;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        if (!gone[i]) kept.push_back(std::move(tensors[i]));
    }
    tensors = std::move(kept);
}

std::uint64_t TensorIndex::total_bytes() const {
    std::uint64_t sum = 0;
    for (const auto& tensor : tensors) sum += tensor.bytes();
    return sum;
}

std::uint64_t TensorIndex::total_elements() const {
    std::uint64_t sum = 0;
    for (const auto& tensor : tensors) sum += tensor.elements();
    return sum;
}

Status reject_placeholder(base::ReadableFile& file) {
    if (file.size() == 0) {
        return base::fail(ErrorKind::bad_input, "the file is empty; fetch it again", file.path());
    }
    TRY_ASSIGN(std::string start, first_bytes(file, 256));
    if (is_lfs_pointer(start)) {
        return base::fail(ErrorKind::bad_input,
                          "this is a Git LFS pointer, not the weights; run 'git lfs pull' in the model's directory, or "
                          "download the file again",
                          file.path());
    }
    std::size_t text = start.find_first_not_of(" \t\r\n");
    // The length that safetensors begin with can read " <" or "<!" as well, and always ends with a zero.
    bool is_length = start.find('\0') < sizeof(std::uint64_t);
    if (text != std::string::npos && start[text] == '<' && !is_length) {
        return base::fail(ErrorKind::bad_input,
                          "this is a web page, not weights; the download failed or needs a login; fetch it again",
                          file.path());
    }
    return {};
}

namespace {

using AddTensors = Status (*)(TensorIndex& index, base::ReadableFile& file, std::uint32_t number);

Status add_file(TensorIndex& index, base::FileSystem& fs, const Path& path, AddTensors of_torch) {
    TRY_ASSIGN(std::shared_ptr<base::ReadableFile> file, fs.open(path));
    TRY(reject_placeholder(*file));
    auto number = static_cast<std::uint32_t>(index.files.size());
    index.files.push_back(file);
    TRY_ASSIGN(std::string start, first_bytes(*file, 16));
    return is_torch(start, path) ? of_torch(index, *file, number) : add_safetensors(index, *file, number);
}

}  // namespace

Status add_weight_file(TensorIndex& index, base::FileSystem& fs, const Path& path) {
    return add_file(index, fs, path, add_torch_state_dict);
}

Status add_every_tensor(TensorIndex& index, base::FileSystem& fs, const Path& path) {
    return add_file(index, fs, path, add_nested_tensors);
}

}  // namespace ckpt
