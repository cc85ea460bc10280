#include "ckpt_convert/execute/dcp_entries.h"

#include <utility>
#include <variant>

namespace ckpt {

std::string joined_path(const DistPath& path) {
    std::string out;
    for (const auto& key : path) {
        if (!out.empty()) out += '.';
        const auto* text = std::get_if<std::string>(&key);
        out += text != nullptr ? *text : std::to_string(std::get<std::uint64_t>(key));
    }
    return out;
}

TorchDistItem item_at(DistPath path, const TargetTensor& target, SharedPool<Shape>& shapes) {
    const Shape& shape = target.shape_in_file();
    std::string fqn = joined_path(path);
    const SharedShape shared = shapes(shape);
    return {std::move(fqn), target.dtype, shared, shapes(Shape(shape.size(), 0)), shared, std::move(path)};
}

void add_object(TorchDistContent& content, DistPath path,
                std::function<Result<pickle::Value*>(TorchFilePlan& file)> value) {
    std::string fqn = joined_path(path);
    content.objects.push_back({std::move(fqn), std::move(path), std::move(value)});
}

void add_value(TorchDistContent& content, DistPath path, pickle::Ref value) {
    add_object(content, std::move(path),
               [value](TorchFilePlan& file) -> Result<pickle::Value*> { return file.arena().make(value->variant); });
}

}  // namespace ckpt
