#include "ckpt_convert/open/plain_names.h"

#include <algorithm>
#include <memory>

#include "base/format.h"
#include "base/human.h"
#include "ckpt_convert/tensor/cast.h"

namespace ckpt {
namespace {

constexpr const char* kUnknownFamily = "unknown";

Result<ModelMapping> mapping_of(const TensorIndex& index, const TensorNames* trained) {
    ModelMapping out;
    out.family = out.title = kUnknownFamily;
    std::set<std::string_view> seen;
    for (const IndexedTensor& tensor : index.tensors) {
        if (!seen.insert(tensor.name).second) continue;
        WeightRule weight;
        weight.name = tensor.name;
        weight.cast = can_cast(tensor.dtype, DType::f32);
        weight.buffer = trained != nullptr && !trained->contains(tensor.name.get());
        StoredRule stored;
        stored.names = {{DialectSelector(), tensor.name}};
        stored.weights = {tensor.name};
        stored.scalar = tensor.shape.empty();
        Shape shape = tensor.whole_shape.empty() ? tensor.shape : tensor.whole_shape;
        if (stored.scalar) shape = {1};
        for (std::uint64_t extent : shape) {
            TRY_ASSIGN(Expression size, Expression::parse(std::to_string(extent), tensor.name));
            weight.shape.push_back(std::move(size));
        }
        stored.stage = Stage::first;
        out.weights.push_back(std::move(weight));
        out.hf.push_back(std::move(stored));
    }
    return out;
}

std::optional<std::string> pattern_for(const SourceOptions& options, std::string_view tensor) {
    for (const std::string& pattern : options.leave_out) {
        if (matches_pattern(pattern, tensor)) return pattern;
    }
    return std::nullopt;
}

}  // namespace

bool takes_plain_names(const SourceOptions& options) {
    return options.plain_names && options.family.empty() && !options.layers && !options.true_vocab &&
           options.adapter.empty();
}

Result<Source> plain_source(TensorIndex index, const TensorNames* trained, const std::string& reason,
                            const SourceOptions& options) {
    Source source;
    source.side = Side::huggingface;
    source.title = "Hugging Face";
    source.directory = options.directory;
    source.notes.push_back(
        base::format("the tensors keep their names, and nothing says whether all of the model are there: {}", reason));
    std::vector<bool> gone;
    std::vector<std::string> empty;
    for (const IndexedTensor& tensor : index.tensors) {
        const auto pattern = pattern_for(options, tensor.name);
        const bool is_empty = checked_elements(tensor.whole_shape.empty() ? tensor.shape : tensor.whole_shape) == 0;
        gone.push_back(pattern || is_empty);
        if (pattern) source.notes.push_back(base::format("{} is left out: --leave-out \"{}\"", tensor.name, *pattern));
        else if (is_empty) empty.push_back(tensor.name);
    }
    index.take_out(gone);
    if (!empty.empty())
        source.notes.push_back(base::format("{} no elements and {} left out: {}",
                                            base::plural(empty.size(), "source tensor has", "source tensors have"),
                                            empty.size() == 1 ? "is" : "are", base::listed(empty)));
    source.index = std::move(index);
    TRY_ASSIGN(ModelMapping mapping, mapping_of(source.index, trained));
    source.index.give_axes();
    source.plain = std::make_shared<const ModelMapping>(std::move(mapping));
    TRY_ASSIGN(source.model, Model::make(*source.plain, {{"layers", 1}, {"vocab", 0}}));
    TRY_ASSIGN(const Layout layout, hf_layout(source.model));
    TRY_ASSIGN(source.binding,
               bind_source(source.model, source.index, layout, [](std::string_view) { return std::nullopt; }));
    return source;
}

}  // namespace ckpt
