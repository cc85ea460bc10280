#include "ckpt_convert/open/copies.h"

#include <set>

#include "base/format.h"
#include "base/human.h"
#include "ckpt_convert/execute/copy_check.h"

namespace ckpt {
namespace {

// The values of the model for which the copies that differ are weights of their own; the note that says so.
struct Apart {
    std::vector<Setting> settings;
    std::vector<std::string> notes;
};

tl::unexpected<base::Error> no_place(const Source& source, const std::string& name, const std::string& weight) {
    std::string hint =
        source.side == Side::huggingface ? base::format("; --leave-out \"{}\" drops it knowingly", name) : "";
    return base::fail(
        ErrorKind::unsupported,
        base::format("{} has other values than {}, whose copy it is in models of the family {}, and would "
                     "be lost{}",
                     name, weight, source.model.mapping().family, hint),
        source.directory);
}

Result<Apart> find_apart(Source& source) {
    TRY_ASSIGN(auto equal, equal_copies(source.model, source.index, source.binding));
    Apart out;
    std::set<std::string> same;
    for (std::size_t i = 0; i < equal.size(); ++i) {
        const TensorCopy& copy = source.binding.copies[i];
        const std::string& name = source.index.tensors[copy.box.tensor].name;
        if (equal[i]) {
            same.insert(name);
            continue;
        }
        const std::string& weight = source.model.tensors()[copy.logical].name;
        if (copy.apart == nullptr || source.apart.contains(copy.apart->value)) return no_place(source, name, weight);
        if (!out.settings.empty() && out.settings.back().value == copy.apart->value) continue;
        out.settings.push_back(*copy.apart);
        out.notes.push_back(base::format(
            "{} has other values than {}, whose copy it usually is: it is kept as a weight of its own", name, weight));
    }
    // Of rank files nothing is said: Megatron keeps such copies in every checkpoint.
    if (out.settings.empty() && !same.empty() && source.side == Side::huggingface)
        source.binding.notes.push_back(
            base::format("{} bit for bit: {}",
                         base::plural(same.size(), "tensor is kept once, as it repeats another",
                                      "tensors are kept once, as they repeat others"),
                         base::listed({same.begin(), same.end()})));
    return out;
}

Status note_padding(Source& source) {
    TRY_ASSIGN(const auto filled, filled_padding(source.index, source.binding));
    if (filled.empty()) return {};
    std::vector<std::string> names;
    for (std::uint32_t tensor : filled) names.push_back(source.index.tensors[tensor].name);
    source.binding.notes.push_back(base::format(
        "the padding of {} is not zero; the model computes nothing with it, and it is left out", base::listed(names)));
    return {};
}

}  // namespace

Status bind_copies(Source& source, Copies copies, const std::function<Result<SourceBinding>(const Model&)>& bind) {
    while (true) {
        TRY_ASSIGN(source.binding, bind(source.model));
        if (copies == Copies::trusted) return {};
        TRY_ASSIGN(Apart apart, find_apart(source));
        if (apart.settings.empty()) return note_padding(source);
        ModelValues values = source.model.values();
        for (const Setting& setting : apart.settings)
            values[setting.value] = source.apart[setting.value] = setting.number;
        source.notes.insert(source.notes.end(), apart.notes.begin(), apart.notes.end());
        TRY_ASSIGN(source.model, Model::make(source.model.mapping(), std::move(values)));
    }
}

}  // namespace ckpt
