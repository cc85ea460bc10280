#include "ckpt_convert/checkpoint/zero_files.h"

#include <algorithm>

#include "base/format.h"
#include "ckpt_convert/formats/pickle/reader.h"

namespace ckpt {
namespace {

bool is_zero_global(std::string_view module, std::string_view name) {
    return pickle::is_checkpoint_global(module, name) || module.starts_with("deepspeed.");
}

}  // namespace

Result<OpenedFile> ZeroFiles::open(const std::string& name) const {
    TRY_ASSIGN(const auto file, fs_.open(path(name)));
    TRY(reject_placeholder(*file));
    TRY_ASSIGN(TorchFile content, TorchFile::read(*file, is_zero_global));
    return OpenedFile{name, std::make_shared<const TorchFile>(std::move(content))};
}

std::uint32_t ZeroFiles::number(const std::string& name) {
    auto [found, is_new] = numbers_.try_emplace(name, static_cast<std::uint32_t>(out_.content.files.size()));
    if (is_new) out_.content.files.push_back(name);
    return found->second;
}

Result<std::optional<double>> ZeroFiles::step(const OpenedFile& file, pickle::Ref value) const {
    if (value == nullptr) return std::optional<double>();
    if (const auto* whole = value->as<std::int64_t>()) return std::optional(static_cast<double>(*whole));
    TRY_ASSIGN(const auto tensor, file.content->tensor(value));
    if (!tensor || tensor->dtype != DType::f32 || !tensor->shape.empty()) return std::optional<double>();
    float number = 0;
    TRY_ASSIGN(const auto opened, fs_.open(path(file.name)));
    TRY(opened->read_at(tensor->file_offset, std::as_writable_bytes(std::span(&number, 1))));
    return std::optional(static_cast<double>(number));
}

Result<FlatShare> ZeroFiles::share(const OpenedFile& file, const TorchTensor& vector) {
    if (vector.contiguous) return FlatShare{number(file.name), vector.file_offset, *checked_elements(vector.shape)};
    return base::fail(ErrorKind::unsupported, "a flat group is a strided view; save it contiguous first",
                      path(file.name));
}

tl::unexpected<base::Error> ZeroFiles::bad(std::string message, const std::string& name) const {
    return base::fail(ErrorKind::bad_input, std::move(message), path(name));
}

TorchDistTensor state_of_weight(TorchDistTensor weight, std::string_view moment) {
    weight.path.clear();
    weight.fqn = base::format("optimizer.state.{}.{}", weight.fqn, moment);
    return weight;
}

}  // namespace ckpt
