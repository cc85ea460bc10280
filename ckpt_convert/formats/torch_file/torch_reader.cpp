#include "ckpt_convert/formats/torch_file/torch_reader.h"

#include <algorithm>
#include <string_view>

#include "base/checked_math.h"
#include "base/format.h"
#include "ckpt_convert/base_names.h"
#include "ckpt_convert/formats/lfs_pointer.h"
#include "ckpt_convert/formats/torch_file/tensor_call.h"
#include "ckpt_convert/formats/torch_file/torch_archive.h"

namespace ckpt {
namespace {

constexpr std::size_t kSniffedBytes = 512;
constexpr std::string_view kZipMagic = "PK\x03\x04";
constexpr std::string_view kTarMagic = "ustar";
constexpr std::size_t kTarMagicOffset = 257;

// What bytes that are no torch file look like.
std::string description(std::string_view start) {
    constexpr std::size_t kShown = 24;
    auto is_text = [](char c) { return c == '\t' || c == '\n' || c == '\r' || (c >= ' ' && c <= '~'); };
    if (std::all_of(start.begin(), start.end(), [](char c) { return c == '\0'; })) return "with zeros";
    if (std::all_of(start.begin(), start.end(), is_text)) return "like a text: " + quoted_name(start.substr(0, kShown));
    std::string bytes;
    for (char byte : start.substr(0, 8)) bytes += base::format(" {:02x}", static_cast<unsigned char>(byte));
    return "with the bytes" + bytes;
}

Result<TorchArchive> read_archive(base::ReadableFile& file, std::uint64_t begin, std::uint64_t bytes,
                                  const pickle::GlobalFilter& accept) {
    if (begin > file.size() || bytes > file.size() - begin) {
        return base::fail(
            ErrorKind::bad_input,
            base::format("a part of {} bytes at byte {} does not lie inside the file of {}", bytes, begin, file.size()),
            file.path());
    }
    std::string start(std::min<std::uint64_t>(bytes, kSniffedBytes), '\0');
    TRY(file.read_at(begin, std::as_writable_bytes(std::span(start))));
    if (start.starts_with(kZipMagic)) return read_torch_zip(file, begin, bytes, accept);
    if (start.starts_with('\x80')) return read_torch_legacy(file, begin, bytes, accept);
    if (start.size() > kTarMagicOffset && std::string_view(start).substr(kTarMagicOffset).starts_with(kTarMagic)) {
        return base::fail(
            ErrorKind::unsupported,
            "tar files of PyTorch before 0.1.10 are not read; load the file with an old PyTorch and save it again",
            file.path());
    }
    TRY(refuse_lfs_pointer(start, file.path()));
    return base::fail(ErrorKind::bad_input,
                      base::format("this is not a file of torch.save: it starts neither like a zip archive nor like a "
                                   "pickle, but {}; fetch it again, or name the right file",
                                   description(start)),
                      base::format("{}: byte {}", file.path(), begin));
}

// The elements from the first to the last of the view; nullopt on overflow, 0 for an empty one.
std::optional<std::uint64_t> reach(const TensorCall& call, std::uint64_t elements) {
    if (elements == 0) return 0;
    std::uint64_t last = 0;
    for (std::size_t i = 0; i < call.shape.size(); ++i) {
        auto step = base::checked_mul(call.shape[i] - 1, call.strides[i]);
        auto next = step ? base::checked_add(last, *step) : std::nullopt;
        if (!next) return std::nullopt;
        last = *next;
    }
    return base::checked_add(last, 1);
}

bool is_contiguous(const TensorCall& call, std::uint64_t elements) {
    if (elements <= 1) return true;
    std::vector<std::uint64_t> dense = row_major_strides(call.shape);
    for (std::size_t i = 0; i < dense.size(); ++i) {
        if (call.shape[i] != 1 && call.strides[i] != dense[i]) return false;
    }
    return true;
}

}  // namespace

Result<TorchFile> TorchFile::read(base::ReadableFile& file, const pickle::GlobalFilter& accept) {
    return read(file, 0, file.size(), accept);
}

Result<TorchFile> TorchFile::read(base::ReadableFile& file, std::uint64_t begin, std::uint64_t bytes,
                                  const pickle::GlobalFilter& accept) {
    TRY_ASSIGN(TorchArchive archive, read_archive(file, begin, bytes, accept));
    TorchFile out;
    out.path_ = file.path();
    out.arena_ = std::move(archive.arena);
    out.root_ = archive.root;
    out.storages_ = std::move(archive.storages);
    return out;
}

Result<std::optional<TorchTensor>> TorchFile::tensor(pickle::Ref value) const {
    TRY_ASSIGN(std::optional<TensorCall> call, parse_tensor_call(value, path_));
    if (!call) return std::optional<TorchTensor>();

    const StorageReference& reference = call->storage;
    const StorageTable::Storage* storage = storages_.find(reference.key);
    auto bad = [&](std::string_view what) {
        return base::fail(ErrorKind::bad_input,
                          base::format("a tensor of shape {} {} (storage {} of {} elements)", to_string(call->shape),
                                       what, quoted_name(reference.key), reference.elements),
                          path_);
    };
    if (storage == nullptr) return bad("has no storage");
    auto elements = checked_elements(call->shape);
    auto extent = elements ? reach(*call, *elements) : std::nullopt;
    auto needed = extent ? base::checked_add(*extent, call->offset) : std::nullopt;
    // Untyped storages count bytes.
    std::uint64_t element_bytes = bits(call->dtype) / 8;
    std::uint64_t available = reference.view_elements * reference.element_bytes() / element_bytes;
    if (!needed) return bad("is too large");
    if (*elements > 0 && *needed > available)
        return bad(base::format("reaches to element {} of its storage, past its end", *needed));

    TorchTensor tensor;
    tensor.dtype = call->dtype;
    tensor.file_offset = storage->offset + reference.view_offset * reference.element_bytes();
    if (*elements > 0) tensor.file_offset += call->offset * element_bytes;
    tensor.storage_key = std::string(reference.key);
    tensor.contiguous = is_contiguous(*call, *elements);
    tensor.shape = std::move(call->shape);
    tensor.strides = std::move(call->strides);
    return std::optional<TorchTensor>(std::move(tensor));
}

}  // namespace ckpt
