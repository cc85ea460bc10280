#include "ckpt_convert/formats/torch_dist/torch_dist_writer.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/check.h"
#include "base/format.h"
#include "base/packed_text.h"
#include "ckpt_convert/base_names.h"
#include "ckpt_convert/formats/torch_dist/dist_backend.h"
#include "ckpt_convert/formats/torch_dist/dist_metadata_writer.h"
#include "ckpt_convert/formats/torch_dist/metadata_files.h"
#include "ckpt_convert/formats/zip/crc32.h"
#include "ckpt_convert/tensor/tiling.h"

namespace ckpt {
namespace {

// Puts `chunk` behind the last one, as part of it when nothing is between them.
void append(std::vector<FileChunk>& chunks, FileChunk chunk) {
    if (!chunks.empty() && chunks.back().offset + chunks.back().data.size() == chunk.offset) {
        chunks.back().data += chunk.data;
    } else {
        chunks.push_back(std::move(chunk));
    }
}

// Appends what the torch file at `begin` has besides its payload.
void append(std::vector<FileChunk>& chunks, const TorchFilePlan& file, std::uint64_t begin,
            const std::vector<std::uint32_t>& crc32) {
    std::vector<FileChunk> own = file.chunks(crc32);
    std::sort(own.begin(), own.end(), [](auto& a, auto& b) { return a.offset < b.offset; });
    for (FileChunk& chunk : own) append(chunks, {begin + chunk.offset, std::move(chunk.data)});
}

// The bytes of a torch file without tensors.
std::string whole_file(const TorchFilePlan& file) {
    std::vector<FileChunk> chunks;
    append(chunks, file, 0, {});
    CHECK(chunks.size() == 1 && chunks[0].data.size() == file.file_bytes());
    return std::move(chunks[0].data);
}

// What is needed of a .distcp file when its checksums are known.
struct DistFileLayout {
    struct Item {
        std::uint64_t offset = 0;
        std::shared_ptr<const TorchFilePlan> file;
    };
    std::string front;  // the items of bytes
    std::vector<Item> items;

    std::vector<FileChunk> chunks(const std::vector<std::uint32_t>& crc32) const {
        CHECK(crc32.size() == items.size());
        std::vector<FileChunk> out;
        if (!front.empty()) out.push_back({0, front});
        for (std::size_t i = 0; i < items.size(); ++i) append(out, *items[i].file, items[i].offset, {crc32[i]});
        return out;
    }
};

TorchDistFile small_file(std::string path, base::PackedText content) {
    TorchDistFile file;
    file.path = std::move(path);
    file.bytes = content.size();
    auto shared = std::make_shared<const base::PackedText>(std::move(content));
    file.chunks = [shared](const std::vector<std::uint32_t>&) { return std::vector<FileChunk>{{0, shared->text()}}; };
    return file;
}

TorchDistFile small_file(std::string_view path, std::string_view content) {
    base::PackedText text;
    text.append(content);
    return small_file(std::string(path), std::move(text));
}

// Gives each name its number; equal names have the same.
class NameNumbers {
public:
    // The number, and whether the name is new.
    std::pair<std::uint32_t, bool> add(const DistName& name) {
        const auto next = static_cast<std::uint32_t>(names_.size());
        auto [known, is_new] = names_.insert({&name, next});
        return {known->number, is_new};
    }

private:
    struct Entry {
        const DistName* name;
        std::uint32_t number;
        friend bool operator==(const Entry& a, const Entry& b) { return a.name->joined() == b.name->joined(); }
    };
    struct Hash {
        std::size_t operator()(const Entry& entry) const { return std::hash<std::string>()(entry.name->joined()); }
    };
    std::unordered_set<Entry, Hash> names_;
};

class Planner {
public:
    explicit Planner(TorchDistContent content)
        : content_(std::move(content)), items_(std::move(content_.items)), payloads_(items_.size()) {
        items_.reserve(payloads_ + content_.scalars.size());
        for (TorchDistScalar& scalar : content_.scalars)
            items_.push_back({std::move(scalar.name), DType::f32, {}, {}, {}});
    }

    Result<std::vector<TorchDistFile>> plan() {
        TRY(group_items());
        TRY(add_front());
        places_.reserve(items_.size());
        for (std::uint32_t i = 0; i < payloads_; ++i) TRY(add_item(i));
        close_file();
        places_.insert(places_.end(), scalar_places_.begin(), scalar_places_.end());
        base::PackedText metadata = dist_metadata_pickle(items_, tensors_, places_, bytes_, !is_megatron());
        if (!is_megatron()) {
            files_.push_back(small_file(kDistMetadataFile, std::move(metadata)));
            return std::move(files_);
        }
        TRY_ASSIGN(const std::string common_file, common_state(false));
        files_.push_back(small_file(kDistCommonFile, common_file));
        files_.push_back(small_file(kDistMetadataFile, std::move(metadata)));
        files_.push_back(small_file(kDistBackendFile, kDistBackendJson));
        return std::move(files_);
    }

private:
    bool is_megatron() const { return static_cast<bool>(content_.common_state); }

    static tl::unexpected<base::Error> wrong(const DistName& name, std::string_view what) {
        return base::fail(ErrorKind::internal, base::format("the plan of the torch_dist checkpoint is wrong: {}: {}",
                                                            quoted_name(name.joined()), what));
    }

    // The items of each tensor, which must make it up.
    Status group_items() {
        NameNumbers numbers;
        std::vector<std::uint32_t> tensor_of;
        tensor_of.reserve(items_.size());
        std::uint32_t tensors = 0;
        for (const TorchDistItem& item : items_) {
            tensor_of.push_back(numbers.add(item.name).first);
            tensors = std::max(tensors, tensor_of.back() + 1);
        }
        tensors_ = Grouped<std::uint32_t>(tensors, [&](const auto& take) {
            for (std::uint32_t i = 0; i < items_.size(); ++i) take(tensor_of[i], i);
        });
        for (std::uint32_t i = 0; i < tensors; ++i) TRY(check_tensor(tensors_[i]));
        const DistName common(std::string{kDistCommonItem});
        if (is_megatron() && !numbers.add(common).second) return wrong(common, "the name is taken");
        for (const DistName& name : content_.extra_states) {
            if (!numbers.add(name).second) return wrong(name, "the name is given twice");
        }
        for (const TorchDistObject& object : content_.objects) {
            if (!numbers.add(object.name).second) return wrong(object.name, "the name is given twice");
        }
        return {};
    }

    Status check_tensor(std::span<const std::uint32_t> tensor) const {
        const TorchDistItem& first = items_[tensor.front()];
        if (!checked_elements(first.global_shape)) return wrong(first.name, "the shape is too large");
        std::vector<Box> boxes;
        boxes.reserve(tensor.size());
        for (std::uint32_t number : tensor) {
            const TorchDistItem& item = items_[number];
            if (item.dtype != first.dtype || item.global_shape != first.global_shape)
                return wrong(first.name, "its chunks disagree on its type or shape");
            boxes.push_back({item.chunk_offsets.get(), item.chunk_sizes.get()});
        }
        if (auto problem = tiling_problem(first.global_shape, boxes)) return wrong(first.name, *problem);
        return {};
    }

    // As a file of its own, or as an item: a list of one object, as all items of bytes are.
    Result<std::string> common_state(bool as_item) const {
        TorchFilePlan file;
        TRY_ASSIGN(pickle::Value * root, content_.common_state(file));
        if (as_item) root = list_of(file, root);
        CHECK(file.tensor_count() == 0);
        TRY(file.finish(root));
        return whole_file(file);
    }

    static pickle::Value* list_of(TorchFilePlan& file, pickle::Value* item) {
        pickle::Value* list = file.list();
        list->as<pickle::List>()->items.push_back(item);
        return list;
    }

    // The items of bytes, at the start of the first file.
    Status add_front() {
        open_file();
        bytes_.reserve(content_.extra_states.size() + content_.objects.size() + 1);
        if (!content_.extra_states.empty()) {
            TorchFilePlan none;
            TRY(none.finish(list_of(none, none.none())));
            const DistPlace place = add_bytes(whole_file(none));
            for (DistName& name : content_.extra_states) bytes_.push_back({std::move(name), place});
        }
        std::unordered_map<const TorchDistObject::Value*, DistPlace> of_values;
        for (TorchDistObject& object : content_.objects) {
            auto [place, is_new] = of_values.try_emplace(object.value.get());
            if (is_new) {
                TorchFilePlan file;
                TRY_ASSIGN(pickle::Value * root, (*object.value)(file));
                TRY(file.finish(root));
                place->second = add_bytes(whole_file(file));
            }
            bytes_.push_back({std::move(object.name), place->second});
        }
        content_.objects = {};  // which may be more than the tensors are
        TRY(add_scalars());
        if (!is_megatron()) return {};
        TRY_ASSIGN(std::string common, common_state(true));
        bytes_.push_back({std::string(kDistCommonItem), add_bytes(common)});
        return {};
    }

    Status add_scalars() {
        std::map<std::uint32_t, DistPlace> of_bits;  // NaN is not equal to itself
        for (const TorchDistScalar& scalar : content_.scalars) {
            auto [place, is_new] = of_bits.try_emplace(std::bit_cast<std::uint32_t>(scalar.value));
            if (is_new) {
                TorchFilePlan file;
                TRY(file.finish(file.scalar(scalar.value)));
                place->second = add_bytes(whole_file(file));
            }
            scalar_places_.push_back(place->second);
        }
        return {};
    }

    DistPlace add_bytes(const std::string& bytes) {
        DistPlace place{0, end_, bytes.size()};
        layout_->front += bytes;
        end_ += bytes.size();
        return place;
    }

    Status add_item(std::uint32_t number) {
        const TorchDistItem& item = items_[number];
        auto& file = by_form_[{item.dtype, item.chunk_sizes}];
        if (file == nullptr) {
            TRY_ASSIGN(file, torch_file(item));
        }
        std::uint64_t bytes = file->file_bytes();
        bool full = end_ > content_.max_file_bytes || bytes > content_.max_file_bytes - end_ ||
                    layout_->items.size() == kMaxTorchDistFileItems;
        if (end_ > 0 && full) {
            close_file();
            open_file();
        }
        places_.push_back({static_cast<std::uint32_t>(files_.size()), end_, bytes});
        layout_->items.push_back({end_, file});
        open_.items.push_back(number);
        open_.offsets.push_back(end_ + file->tensor_offset(0));
        end_ += bytes;
        return {};
    }

    static Result<std::shared_ptr<const TorchFilePlan>> torch_file(const TorchDistItem& item) {
        auto file = std::make_shared<TorchFilePlan>();
        auto tensor = file->tensor(item.dtype, item.chunk_sizes);
        if (!tensor)
            return base::fail_with_context(std::move(tensor).error(),
                                           base::format("for {}", quoted_name(item.name.joined())));
        TRY(file->finish(*tensor));
        return std::shared_ptr<const TorchFilePlan>(std::move(file));
    }

    void open_file() {
        open_ = {};
        open_.path = dist_file_name(static_cast<std::uint32_t>(files_.size()));
        layout_ = std::make_shared<DistFileLayout>();
        end_ = 0;
    }

    void close_file() {
        open_.bytes = end_;
        open_.chunks = [layout = std::move(layout_)](const std::vector<std::uint32_t>& crc32) {
            return layout->chunks(crc32);
        };
        files_.push_back(std::move(open_));
    }

    TorchDistContent content_;          // but for its items
    std::vector<TorchDistItem> items_;  // then the scalars
    std::size_t payloads_;              // how many of them are in files of tensors
    Grouped<std::uint32_t> tensors_;    // the items of each
    std::vector<DistPlace> places_;     // of the items
    std::vector<DistPlace> scalar_places_;
    std::vector<DistBytesEntry> bytes_;
    // Items of equal type and size differ in nothing but their payload, and there are few such forms.
    std::map<std::pair<DType, Shape>, std::shared_ptr<const TorchFilePlan>> by_form_;
    std::vector<TorchDistFile> files_;
    TorchDistFile open_;
    std::shared_ptr<DistFileLayout> layout_;  // of the open file
    std::uint64_t end_ = 0;                   // of the open file
};

}  // namespace

Result<std::vector<TorchDistFile>> plan_torch_dist(TorchDistContent content) {
    return Planner(std::move(content)).plan();
}

}  // namespace ckpt
