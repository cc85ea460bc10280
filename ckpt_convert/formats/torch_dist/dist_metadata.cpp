#include "ckpt_convert/formats/torch_dist/dist_metadata.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/format.h"
#include "ckpt_convert/base_names.h"
#include "ckpt_convert/formats/pickle/reader.h"
#include "ckpt_convert/formats/torch_dist/chunk_checks.h"
#include "ckpt_convert/formats/torch_file/tensor_call.h"
#include "ckpt_convert/formats/torch_file/torch_dtypes.h"

namespace ckpt {
namespace {

using pickle::Object;
using pickle::Ref;

constexpr std::string_view kDistributedPrefix = "torch.distributed.";
// Names of modules and parameters joined by dots; real ones have at most 200 bytes.
constexpr std::size_t kMaxFqnBytes = 4096;
// The classes have at most ten. Looking one up is linear, and objects may share a dict of them.
constexpr std::size_t kMaxAttributes = 64;
// Since Python 3.13 the module that defines pathlib's classes; a checkpoint's id is a path.
constexpr std::string_view kPathlibModule = "pathlib._local";
// Nested dicts are some levels deep.
constexpr std::size_t kMaxKeys = 64;
// How names of element types begin, also of those that no file of ours has: other tensors may be of such a type.
constexpr std::array<std::string_view, 9> kDtypePrefixes{"bfloat", "bits", "bool",  "complex", "float",
                                                         "int",    "qint", "quint", "uint"};

// What describes a checkpoint: besides what checkpoints are made of, the classes of PyTorch's own bookkeeping.
bool is_metadata_global(std::string_view module, std::string_view name) {
    if (pickle::is_checkpoint_global(module, name) || module.starts_with(kDistributedPrefix)) return true;
    if (module == kPathlibModule) return name.ends_with("Path");
    return module == "torch" && std::any_of(kDtypePrefixes.begin(), kDtypePrefixes.end(),
                                            [&](std::string_view prefix) { return name.starts_with(prefix); });
}

bool is_class(Ref value, std::string_view suffix) {
    const Object* object = value->as<Object>();
    const auto* cls = object != nullptr ? object->callable->as<pickle::Global>() : nullptr;
    return cls != nullptr && cls->name.ends_with(suffix);
}

// nullptr when the object has no such attribute, or it is None.
Ref attribute(Ref value, std::string_view name) {
    const Object* object = value->as<Object>();
    const auto* attributes = object != nullptr ? pickle::mapping_items(object->state) : nullptr;
    if (attributes == nullptr || attributes->size() > kMaxAttributes) return nullptr;
    Ref found = pickle::find(object->state, name);
    return found == nullptr || found->as<pickle::None>() != nullptr ? nullptr : found;
}

const std::string* text_attribute(Ref value, std::string_view name) {
    Ref found = attribute(value, name);
    return found != nullptr ? found->as<std::string>() : nullptr;
}

std::optional<std::uint64_t> amount_attribute(Ref value, std::string_view name) {
    Ref found = attribute(value, name);
    const std::int64_t* number = found != nullptr ? found->as<std::int64_t>() : nullptr;
    if (number == nullptr || *number < 0) return std::nullopt;
    return static_cast<std::uint64_t>(*number);
}

std::optional<std::vector<std::uint64_t>> extents_attribute(Ref value, std::string_view name) {
    Ref found = attribute(value, name);
    return found != nullptr ? parse_extents(found) : std::nullopt;
}

// Below the directory of the checkpoint.
bool is_safe_path(std::string_view path) {
    return !path.empty() && path.front() != '/' && path.find('\0') == std::string_view::npos &&
           base::format("/{}/", path).find("/../") == std::string::npos;
}

// What a MetadataIndex says. Bytes have no offset.
struct StorageKey {
    std::string_view fqn;
    std::optional<std::vector<std::uint64_t>> offsets;

    bool operator<(const StorageKey& other) const {
        return std::tie(fqn, offsets) < std::tie(other.fqn, other.offsets);
    }
};

class Parser {
public:
    explicit Parser(const TorchDistOptions& options) : options_(options) {}

    Status add(std::string_view text, const Path& path) {
        path_ = path;
        ++texts_;
        base::ByteReader reader(base::as_bytes(text), path_);
        TRY_ASSIGN(Ref root, pickle::read(reader, arena_, is_metadata_global));
        if (!reader.at_end())
            return reader.error(base::format("{} bytes follow the end of the pickle", reader.remaining()));
        if (!is_class(root, "Metadata")) {
            return bad(base::format("{} is where torch.distributed.checkpoint puts its Metadata", root->kind_name()));
        }
        const auto* storages = pickle::mapping_items(attribute(root, "storage_data"));
        const auto* entries = pickle::mapping_items(attribute(root, "state_dict_metadata"));
        if (storages == nullptr || entries == nullptr)
            return bad("the Metadata have no storage_data or no state_dict_metadata");
        if (const std::string* version = text_attribute(root, "version")) out_.index.version = *version;
        TRY(index_storages(*storages));
        TRY(index_wholes(attribute(root, "mcore_data")));
        index_paths(attribute(root, "planner_data"));
        for (const auto& [name, entry] : *entries) {
            const std::string* fqn = name->as<std::string>();
            if (fqn == nullptr) return bad(base::format("a tensor's name is {}", name->kind_name()));
            if (fqn->size() > kMaxFqnBytes) return bad(*fqn, "the name is too long");
            TRY(add_entry(*fqn, entry));
        }
        return {};
    }

    Result<DistMetadata> finish() {
        for (std::size_t i = 0; i < out_.index.tensors.size(); ++i) {
            TorchDistTensor& tensor = out_.index.tensors[i];
            if (texts_ > 1) drop_repeated_chunks(tensor);
            TRY(check_tiling(tensor));
            if (checked_elements(tensor.shape) != 0)
                std::erase_if(tensor.chunks, [](const auto& chunk) { return checked_elements(chunk.sizes) == 0; });
            TRY(find_items(tensor, static_cast<std::uint32_t>(i)));
        }
        return std::move(out_);
    }

private:
    using Items = std::vector<std::pair<Ref, Ref>>;
    struct Storage {
        const std::string* file = nullptr;
        std::uint64_t offset = 0;
        std::uint64_t bytes = 0;
        bool transformed = false;
    };

    // The keys that lead to an entry, and how many are before it.
    struct SavedPath {
        std::vector<std::string> keys;
        std::size_t place = 0;
    };

    tl::unexpected<base::Error> bad(std::string message) const {
        return base::fail(ErrorKind::bad_input, std::move(message), path_);
    }
    tl::unexpected<base::Error> bad(std::string_view fqn, std::string_view message) const {
        return bad(base::format("{}: {}", quoted_name(fqn), message));
    }

    Status index_storages(const Items& items) {
        stored_ += items.size();
        for (const auto& [index, info] : items) {
            const std::string* fqn = text_attribute(index, "fqn");
            if (fqn == nullptr) return bad(base::format("the storage of {}, which has no fqn", index->kind_name()));
            if (fqn->size() > kMaxFqnBytes) return bad(*fqn, "the name is too long");
            Ref offset = attribute(index, "offset");
            auto offsets = offset != nullptr ? parse_extents(offset) : std::nullopt;
            if (offset != nullptr && !offsets) return bad(*fqn, "a chunk's offset is not made of integers from 0");
            TRY_ASSIGN(Storage storage, parse_storage(*fqn, info));
            if (!storages_.emplace(StorageKey{*fqn, offsets}, storage).second && texts_ == 1)
                return bad(*fqn,
                           base::format("the chunk at {} has two storages", to_string(offsets.value_or(Shape()))));
        }
        return {};
    }

    Status index_wholes(Ref value) {
        const auto* entries = value == nullptr ? nullptr : pickle::mapping_items(value);
        if (entries == nullptr) return {};
        for (const auto& [name, entry] : *entries) {
            const std::string* fqn = name->as<std::string>();
            Ref shape = pickle::find(entry, "nd_reformulated_orig_global_shape");
            if (fqn == nullptr || shape == nullptr) continue;
            auto extents = parse_extents(shape);
            if (!extents || !checked_elements(*extents))
                return bad(*fqn, "it was flattened from something that is not a shape");
            wholes_[*fqn] = std::move(*extents);
        }
        return {};
    }

    // Of what is no list of names and numbers nothing is told.
    void index_paths(Ref value) {
        const auto* entries = value == nullptr ? nullptr : pickle::mapping_items(value);
        if (entries == nullptr) return;
        for (const auto& [name, keys] : *entries) {
            const std::string* fqn = name->as<std::string>();
            const auto* tuple = keys->as<pickle::Tuple>();
            if (fqn == nullptr || tuple == nullptr || tuple->items.size() > kMaxKeys) continue;
            std::vector<std::string> path;
            for (Ref key : tuple->items) {
                const auto* text = key->as<std::string>();
                const auto* number = key->as<std::int64_t>();
                if (text == nullptr && number == nullptr) break;
                path.push_back(text != nullptr ? *text : std::to_string(*number));
            }
            if (path.size() == tuple->items.size()) paths_.emplace(*fqn, SavedPath{std::move(path), paths_.size()});
        }
    }

    std::vector<std::string> path_to(const std::string& fqn) const {
        auto found = paths_.find(fqn);
        return found == paths_.end() ? std::vector<std::string>() : found->second.keys;
    }

    Result<Storage> parse_storage(const std::string& fqn, Ref info) {
        Storage storage;
        storage.file = text_attribute(info, "relative_path");
        auto offset = amount_attribute(info, "offset");
        auto bytes = amount_attribute(info, "length");
        if (storage.file == nullptr || !offset || !bytes)
            return bad(fqn, base::format("{} does not say in which bytes of which file it lies", info->kind_name()));
        storage.offset = *offset;
        storage.bytes = *bytes;
        Ref transforms = attribute(info, "transform_descriptors");
        const auto* list = transforms != nullptr ? transforms->as<pickle::List>() : nullptr;
        const auto* tuple = transforms != nullptr ? transforms->as<pickle::Tuple>() : nullptr;
        storage.transformed = list != nullptr    ? !list->items.empty()
                              : tuple != nullptr ? !tuple->items.empty()
                                                 : transforms != nullptr;
        return storage;
    }

    Status add_entry(const std::string& fqn, Ref entry) {
        const auto [known, is_new] = tensor_numbers_.try_emplace(fqn, std::nullopt);
        if (is_class(entry, "BytesStorageMetadata")) return is_new ? add_bytes(fqn) : Status();
        if (!is_class(entry, "TensorStorageMetadata"))
            return bad(fqn, base::format("neither a tensor nor bytes, but {}", entry->kind_name()));
        if (options_.wanted && !options_.wanted(fqn)) {
            if (is_new) out_.index.skipped.push_back(fqn);
            return {};
        }
        TRY_ASSIGN(TorchDistTensor tensor, parse_tensor(fqn, entry));
        if (known->second) return merge(out_.index.tensors[*known->second], std::move(tensor));
        known->second = out_.index.tensors.size();
        auto whole = wholes_.find(fqn);
        out_.wholes.push_back(whole == wholes_.end() ? Shape() : whole->second);
        out_.index.tensors.push_back(std::move(tensor));
        return {};
    }

    // What another rank has of the same tensor.
    Status merge(TorchDistTensor& tensor, TorchDistTensor other) const {
        if (tensor.dtype != other.dtype || tensor.shape != other.shape)
            return bad(tensor.fqn, base::format("it is {} {} here, but {} {} for other ranks", name(other.dtype),
                                                to_string(other.shape), name(tensor.dtype), to_string(tensor.shape)));
        std::move(other.chunks.begin(), other.chunks.end(), std::back_inserter(tensor.chunks));
        return {};
    }

    Status add_bytes(const std::string& fqn) {
        auto found = storages_.find({fqn, std::nullopt});
        if (found == storages_.end()) return bad(fqn, "it is listed, but not where it is stored");
        const Storage& storage = found->second;
        TRY_ASSIGN(std::uint32_t file, file_number(fqn, storage));
        out_.index.bytes.push_back({fqn, file, storage.offset, storage.bytes, path_to(fqn)});
        return {};
    }

    Result<TorchDistTensor> parse_tensor(const std::string& fqn, Ref entry) {
        TorchDistTensor tensor;
        tensor.fqn = fqn;
        tensor.path = path_to(fqn);
        if (!tensor.path.empty()) tensor.saved_at = static_cast<std::uint32_t>(paths_.find(fqn)->second.place);
        TRY_ASSIGN(tensor.dtype, dtype_of(fqn, entry));
        auto shape = extents_attribute(entry, "size");
        if (!shape) return bad(fqn, "its size is not made of integers from 0");
        if (!checked_bytes(*shape, tensor.dtype))
            return bad(fqn, base::format("a tensor of shape {} is too large", to_string(*shape)));
        tensor.shape = std::move(*shape);
        Ref chunks = attribute(entry, "chunks");
        const auto* list = chunks != nullptr ? chunks->as<pickle::List>() : nullptr;
        if (list == nullptr) return bad(fqn, "it has no list of chunks");
        // A list that many tensors share would be copied often.
        listed_ += list->items.size();
        if (listed_ > stored_) return bad(fqn, "there are more chunks listed than stored");
        tensor.chunks.reserve(list->items.size());
        for (Ref item : list->items) {
            auto offsets = extents_attribute(item, "offsets");
            auto sizes = extents_attribute(item, "sizes");
            if (!offsets || !sizes)
                return bad(fqn, "a chunk has offsets or sizes that are not made of integers from 0");
            TorchDistChunk chunk;
            chunk.offsets = std::move(*offsets);
            chunk.sizes = std::move(*sizes);
            tensor.chunks.push_back(std::move(chunk));
        }
        return tensor;
    }

    Result<DType> dtype_of(const std::string& fqn, Ref entry) const {
        // Its state is a tuple, in which the type is the first.
        Ref properties = attribute(entry, "properties");
        const Object* object = properties != nullptr ? properties->as<Object>() : nullptr;
        const auto* state =
            object != nullptr && object->state != nullptr ? object->state->as<pickle::Tuple>() : nullptr;
        const auto* global =
            state != nullptr && !state->items.empty() ? state->items[0]->as<pickle::Global>() : nullptr;
        if (global == nullptr || global->module != "torch") return bad(fqn, "it has no element type");
        auto dtype = dtype_from_torch_name(global->name);
        if (!dtype) {
            return base::fail(ErrorKind::unsupported,
                              base::format("{}: tensors of type {} are not read", quoted_name(fqn),
                                           quoted_name("torch." + global->name)),
                              path_);
        }
        return *dtype;
    }

    Status check_tiling(const TorchDistTensor& tensor) const {
        const auto problem = tiling_problem(tensor);
        if (!problem) return {};
        return bad(tensor.fqn, base::format("{} (its shape is {})", *problem, to_string(tensor.shape)));
    }

    Status find_items(TorchDistTensor& tensor, std::uint32_t number) {
        for (std::size_t i = 0; i < tensor.chunks.size(); ++i) {
            TorchDistChunk& chunk = tensor.chunks[i];
            auto found = storages_.find({tensor.fqn, chunk.offsets});
            if (found == storages_.end()) {
                return bad(tensor.fqn, base::format("the chunk at {} is listed, but not where it is stored",
                                                    to_string(chunk.offsets)));
            }
            const Storage& storage = found->second;
            TRY_ASSIGN(chunk.file, file_number(tensor.fqn, storage));
            if (storage.transformed) {
                return base::fail(ErrorKind::unsupported,
                                  base::format("{} is stored compressed or otherwise transformed; "
                                               "save the checkpoint again without such extensions",
                                               quoted_name(tensor.fqn)),
                                  path_);
            }
            out_.items.push_back({number, static_cast<std::uint32_t>(i), storage.offset, storage.bytes});
        }
        return {};
    }

    Result<std::uint32_t> file_number(const std::string& fqn, const Storage& storage) {
        auto& files = out_.index.files;
        auto [number, is_new] = file_numbers_.try_emplace(*storage.file, static_cast<std::uint32_t>(files.size()));
        if (!is_new) return number->second;
        if (!is_safe_path(*storage.file)) {
            return bad(fqn, base::format("it is stored in {}, which is not a file in the checkpoint's directory",
                                         quoted_name(*storage.file)));
        }
        files.push_back(*storage.file);
        return number->second;
    }

    const TorchDistOptions& options_;
    Path path_;  // of the text that is read
    std::size_t texts_ = 0;
    std::size_t listed_ = 0;  // chunks, of all tensors
    std::size_t stored_ = 0;
    pickle::Arena arena_;
    std::map<StorageKey, Storage> storages_;
    std::unordered_map<std::string_view, std::uint32_t> file_numbers_;
    std::unordered_map<std::string_view, Shape> wholes_;
    std::unordered_map<std::string_view, SavedPath> paths_;
    // What is known of an entry: its number among the tensors; nullopt: it is bytes, or not wanted.
    std::unordered_map<std::string_view, std::optional<std::size_t>> tensor_numbers_;
    DistMetadata out_;
};

}  // namespace

Result<DistMetadata> parse_dist_metadata(std::string_view text, const Path& path, const TorchDistOptions& options) {
    Parser parser(options);
    TRY(parser.add(text, path));
    return parser.finish();
}

Result<DistMetadata> parse_rank_metadata(const std::vector<DistMetadataText>& files, const TorchDistOptions& options) {
    Parser parser(options);
    for (const DistMetadataText& file : files) TRY(parser.add(file.text, file.path));
    return parser.finish();
}

}  // namespace ckpt
