#include "ckpt_convert/formats/torch_dist/torch_dist_reader.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "base/format.h"
#include "base/parallel.h"
#include "ckpt_convert/base_names.h"
#include "ckpt_convert/formats/lfs_pointer.h"
#include "ckpt_convert/formats/torch_dist/dist_backend.h"
#include "ckpt_convert/formats/torch_dist/dist_metadata.h"
#include "ckpt_convert/formats/torch_dist/flattened_tensor.h"
#include "ckpt_convert/formats/torch_dist/metadata_files.h"
#include "ckpt_convert/formats/torch_dist/read_ahead_file.h"

namespace ckpt {
namespace {

// Items that one thread opens in a row; in the order of the files.
constexpr std::size_t kItemsPerJob = 256;

// Finds the elements of the chunks: opens every item, which is a file of torch.save with one tensor.
class ItemOpener {
public:
    ItemOpener(base::FileSystem& fs, const Path& directory, DistMetadata& metadata)
        : fs_(fs), directory_(directory), index_(metadata.index), items_(metadata.items) {}

    Status open(int threads) {
        TRY(measure_files());
        TRY(check_bytes());
        std::sort(items_.begin(), items_.end(), [this](const DistItem& a, const DistItem& b) {
            std::uint32_t file_a = chunk_of(a).file, file_b = chunk_of(b).file;
            return file_a != file_b ? file_a < file_b : a.offset < b.offset;
        });
        std::size_t jobs = (items_.size() + kItemsPerJob - 1) / kItemsPerJob;
        return base::parallel_for(jobs, threads, [this](std::size_t job) {
            std::size_t begin = job * kItemsPerJob;
            return open_items(begin, std::min(begin + kItemsPerJob, items_.size()));
        });
    }

private:
    TorchDistTensor& tensor_of(const DistItem& item) { return index_.tensors[item.tensor]; }
    TorchDistChunk& chunk_of(const DistItem& item) { return tensor_of(item).chunks[item.chunk]; }
    Path path_of(std::uint32_t file) const { return base::join(directory_, index_.files[file]); }

    Status measure_files() {
        for (std::uint32_t file = 0; file < index_.files.size(); ++file) {
            Path path = path_of(file);
            if (!fs_.exists(path)) {
                return base::fail(ErrorKind::bad_input,
                                  "the file is missing, although .metadata lists tensors in it; is the copy complete?",
                                  path);
            }
            TRY_ASSIGN(base::FileInfo info, fs_.info(path));
            file_bytes_.push_back(info.bytes);
            if (info.bytes > kMaxLfsPointerBytes) continue;
            TRY_ASSIGN(std::string content, base::read_file(fs_, path, kMaxLfsPointerBytes));
            TRY(refuse_lfs_pointer(content, path));
        }
        return {};
    }

    Status check_bytes() const {
        for (const TorchDistBytes& bytes : index_.bytes)
            TRY(check_range(bytes.fqn, bytes.file, bytes.offset, bytes.bytes));
        return {};
    }

    Status check_range(const std::string& fqn, std::uint32_t file, std::uint64_t offset, std::uint64_t bytes) const {
        std::uint64_t available = file_bytes_[file];
        if (offset <= available && bytes <= available - offset) return {};
        return base::fail(ErrorKind::bad_input,
                          base::format("{}: its {} bytes at byte {} do not lie inside the file of {}; was it cut off?",
                                       quoted_name(fqn), bytes, offset, available),
                          path_of(file));
    }

    Status open_items(std::size_t begin, std::size_t end) {
        std::unique_ptr<base::ReadableFile> file;
        std::unique_ptr<ReadAheadFile> reader;
        for (std::size_t i = begin; i < end; ++i) {
            std::uint32_t number = chunk_of(items_[i]).file;
            if (i == begin || number != chunk_of(items_[i - 1]).file) {
                TRY_ASSIGN(file, fs_.open(path_of(number)));
                reader = std::make_unique<ReadAheadFile>(*file);
            }
            TRY(open_item(items_[i], *reader));
        }
        return {};
    }

    Status open_item(const DistItem& item, base::ReadableFile& file) {
        const TorchDistTensor& tensor = tensor_of(item);
        TorchDistChunk& chunk = chunk_of(item);
        TRY(check_range(tensor.fqn, chunk.file, item.offset, item.bytes));
        auto found = tensor_in(item, file);
        if (!found) {
            return base::fail_with_context(
                std::move(found).error(),
                base::format("in the chunk at {} of {}", to_string(chunk.offsets), quoted_name(tensor.fqn)));
        }
        TorchTensor& stored = *found;
        if (stored.dtype != tensor.dtype || stored.shape != chunk.sizes) {
            return base::fail(ErrorKind::bad_input,
                              base::format("the chunk at {} of {} is {} {} here, but {} {} in .metadata",
                                           to_string(chunk.offsets), quoted_name(tensor.fqn), name(stored.dtype),
                                           to_string(stored.shape), name(tensor.dtype), to_string(chunk.sizes)),
                              base::format("{}: byte {}", file.path(), item.offset));
        }
        chunk.file_offset = stored.file_offset;
        chunk.strides = std::move(stored.strides);
        chunk.contiguous = stored.contiguous;
        return {};
    }

    static Result<TorchTensor> tensor_in(const DistItem& item, base::ReadableFile& file) {
        TRY_ASSIGN(TorchFile opened, TorchFile::read(file, item.offset, item.bytes));
        TRY_ASSIGN(std::optional<TorchTensor> tensor, opened.tensor(opened.root()));
        if (tensor) return std::move(*tensor);
        return base::fail(ErrorKind::bad_input,
                          base::format("a tensor was expected, not {}", opened.root()->kind_name()),
                          base::format("{}: byte {}", file.path(), item.offset));
    }

    base::FileSystem& fs_;
    const Path& directory_;
    TorchDistIndex& index_;
    std::vector<DistItem>& items_;
    std::vector<std::uint64_t> file_bytes_;  // by number
};

Status unflatten(DistMetadata& metadata, const Path& path) {
    for (std::size_t i = 0; i < metadata.wholes.size(); ++i) {
        TorchDistTensor& tensor = metadata.index.tensors[i];
        if (metadata.wholes[i].empty()) continue;
        auto whole = unflattened(tensor, metadata.wholes[i]);
        if (!whole) {
            return base::fail(
                ErrorKind::bad_input,
                base::format("{}: the shape {} is not that of equal parts of {} made flat", quoted_name(tensor.fqn),
                             to_string(tensor.shape), to_string(metadata.wholes[i])),
                path);
        }
        tensor = std::move(*whole);
    }
    return {};
}

Result<TorchDistCommonState> read_common_file(base::FileSystem& fs, const Path& path) {
    TRY_ASSIGN(auto file, fs.open(path));
    TRY_ASSIGN(TorchFile content, TorchFile::read(*file));
    pickle::Ref root = content.root();
    if (pickle::mapping_items(root) == nullptr) {
        return base::fail(ErrorKind::bad_input, base::format("the common state is {}, not a dict", root->kind_name()),
                          path);
    }
    return TorchDistCommonState{std::move(content), root};
}

Result<TorchDistCommonState> read_common_item(base::FileSystem& fs, const Path& path, const TorchDistBytes& item) {
    TRY_ASSIGN(auto file, fs.open(path));
    TRY_ASSIGN(TorchFile content, TorchFile::read(*file, item.offset, item.bytes));
    const auto* list = content.root()->as<pickle::List>();
    pickle::Ref root = list != nullptr && list->items.size() == 1 ? list->items[0] : nullptr;
    if (pickle::mapping_items(root) == nullptr) {
        return base::fail(
            ErrorKind::bad_input,
            base::format("{}: it is {}, not a list of one dict", quoted_name(item.fqn), content.root()->kind_name()),
            path);
    }
    return TorchDistCommonState{std::move(content), root};
}

}  // namespace

Result<TorchDistIndex> read_torch_dist(base::FileSystem& fs, const Path& directory, const TorchDistOptions& options) {
    TRY(check_dist_backend(fs, directory));
    Path path = base::join(directory, kDistMetadataFile);
    if (!fs.exists(path)) {
        return base::fail(ErrorKind::bad_input,
                          "the file is missing, and with it the list of tensors; is the copy complete?", path);
    }
    return read_dcp(fs, directory, options);
}

Result<TorchDistIndex> read_dcp(base::FileSystem& fs, const Path& directory, const TorchDistOptions& options) {
    TRY_ASSIGN(DistMetadata metadata, read_dist_metadata(fs, directory, options));
    TRY(ItemOpener(fs, directory, metadata).open(options.threads));
    TRY(unflatten(metadata, base::join(directory, kDistMetadataFile)));
    return std::move(metadata.index);
}

Result<TorchDistCommonState> read_torch_dist_common_state(base::FileSystem& fs, const Path& directory,
                                                          const TorchDistIndex& index) {
    Path path = base::join(directory, std::string(kDistCommonFile));
    if (fs.exists(path)) return read_common_file(fs, path);
    for (const TorchDistBytes& bytes : index.bytes) {
        if (bytes.fqn == kDistCommonItem)
            return read_common_item(fs, base::join(directory, index.files[bytes.file]), bytes);
    }
    return base::fail(
        ErrorKind::bad_input,
        base::format("there is neither a file common.pt nor an entry {} with the arguments of the training",
                     quoted_name(kDistCommonItem)),
        directory);
}

}  // namespace ckpt
