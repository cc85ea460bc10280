#include "ckpt_convert/plan/adapter_source.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/format.h"

namespace ckpt {
namespace {

// The name in stored_factor_names() of a factor whose partner is there.
template <class IsThere>
std::optional<std::string> factor_in(const std::string& name, const AdapterFormats& formats, IsThere is_there) {
    for (const AdapterFormat& format : formats.formats) {
        for (Factor factor : {Factor::left, Factor::right}) {
            auto weight = format.weight_of(factor, name);
            if (!weight) continue;
            auto partner = format.name_of(factor == Factor::left ? Factor::right : Factor::left, *weight);
            if (partner && is_there(*partner)) return stored_factor_names().name_of(factor, *weight);
        }
    }
    return std::nullopt;
}

}  // namespace

const AdapterFormat& stored_factor_names() {
    static const AdapterFormat names{"factors", StemPattern("*"), StemPattern("* (left factor)"),
                                     StemPattern("* (right factor)")};
    return names;
}

Result<TensorIndex> take_adapters(TensorIndex& index, const AdapterFormats& formats, bool rank_files) {
    TensorIndex out;
    std::set<std::pair<std::uint32_t, std::string_view>> names;
    for (const IndexedTensor& tensor : index.tensors) names.emplace(rank_files ? tensor.file : 0, tensor.name);
    std::vector<bool> gone;
    for (const IndexedTensor& tensor : index.tensors) {
        std::optional<std::string> missing;
        auto found = factor_in(tensor.name, formats, [&](const std::string& partner) {
            bool there = names.contains({rank_files ? tensor.file : 0, partner});
            if (!there && !missing) missing = partner;
            return there;
        });
        if (!found && missing) {
            return base::fail(ErrorKind::bad_input,
                              base::format("{} is the factor of an adapter, but there is no {}", tensor.name, *missing),
                              index.files[tensor.file]->path());
        }
        gone.push_back(found.has_value());
        if (!found) continue;
        out.tensors.push_back(tensor);
        out.tensors.back().name = std::move(*found);
    }
    out.files = index.files;
    index.take_out(gone);
    if (out.tensors.empty()) return out;
    for (IndexedTensor& tensor : index.tensors) tensor.name = formats.plain_name(tensor.name);
    return out;
}

TensorIndex adapted_weights(const TensorIndex& factors, bool rank_files) {
    TensorIndex out;
    out.files = factors.files;
    std::map<std::pair<std::uint32_t, std::string>, std::uint64_t> columns;
    auto key = [&](const IndexedTensor& tensor, const std::string& weight) {
        return std::pair(rank_files ? tensor.file : 0, weight);
    };
    auto whole = [](const IndexedTensor& tensor) {
        return tensor.whole_shape.empty() ? tensor.shape : tensor.whole_shape;
    };
    for (const IndexedTensor& tensor : factors.tensors) {
        auto weight = stored_factor_names().weight_of(Factor::right, tensor.name);
        if (weight && !tensor.shape.empty()) columns[key(tensor, *weight)] = whole(tensor).get().back();
    }
    for (const IndexedTensor& tensor : factors.tensors) {
        auto weight = stored_factor_names().weight_of(Factor::left, tensor.name);
        if (!weight || tensor.shape.empty()) continue;
        auto width = columns.find(key(tensor, *weight));
        IndexedTensor made;
        made.name = *weight;
        made.dtype = tensor.dtype;
        made.shape = whole(tensor);
        made.shape.set(made.shape.size() - 1, width == columns.end() ? 0 : width->second);
        made.file = tensor.file;
        out.tensors.push_back(std::move(made));
    }
    return out;
}

bool is_adapter_alone(const TensorIndex& index, const TensorIndex& factors) {
    std::set<std::string_view> weights;
    for (const IndexedTensor& tensor : index.tensors) weights.insert(tensor.name.get());
    return !factors.tensors.empty() &&
           std::none_of(factors.tensors.begin(), factors.tensors.end(), [&](const IndexedTensor& factor) {
               const auto weight = stored_factor_names().weight_of(Factor::left, factor.name);
               return weight && weights.contains(*weight);
           });
}

}  // namespace ckpt
