#include "ckpt_convert/open/other_names.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "ckpt_convert/checkpoint/rank_safetensors.h"
#include "ckpt_convert/plan/name_form.h"

namespace ckpt {
namespace {

// The name of a tensor with its numbers to be found; it has one under this dialect.
NameForm form_of(const StoredRule& rule, const Dialect& dialect) { return NameForm(*rule.name(dialect)); }

std::size_t tensors_known(const TensorIndex& index, const NamedRules& named, const Dialect& dialect) {
    std::vector<NameForm> forms;
    for (const StoredRule* rule : named.rules) forms.push_back(form_of(*rule, dialect));
    std::set<std::string_view> names;
    for (const IndexedTensor& tensor : index.tensors) names.insert(tensor.name);
    return static_cast<std::size_t>(std::count_if(names.begin(), names.end(), [&](std::string_view name) {
        return std::any_of(forms.begin(), forms.end(),
                           [&](const NameForm& form) { return form.match(name).has_value(); });
    }));
}

std::uint64_t vocabulary_rows(const TensorIndex& index, const NamedRules& named, const Dialect& dialect) {
    for (const StoredRule* rule : named.rules) {
        if (rule->padded() == nullptr) continue;
        const NameForm form = form_of(*rule, dialect);
        for (const IndexedTensor& tensor : index.tensors) {
            const Shape& shape = tensor.whole_shape.empty() ? tensor.shape : tensor.whole_shape;
            if (!shape.empty() && form.match(tensor.name)) return shape[0];
        }
    }
    return 0;
}

}  // namespace

Result<HfVariant> variant_under(const Naming& names, const ModelMapping& mapping, const TensorIndex& index) {
    HfVariant out;
    out.names = &names;
    std::vector<Dialect> dialects;
    for (const CoreNames& core : names.core) dialects.push_back(core.dialect(names.target));
    if (dialects.empty()) dialects.emplace_back();
    std::size_t most = 0;
    for (std::size_t i = 0; i < dialects.size(); ++i) {
        TRY_ASSIGN(const NamedRules named, names.rules_for(mapping, dialects[i]));
        const std::size_t known = tensors_known(index, named, dialects[i]);
        if (i > 0 && known <= most) continue;
        most = known;
        out.dialect = dialects[i];
        out.vocab_rows = vocabulary_rows(index, named, dialects[i]);
    }
    if (names.by_rank) {
        out.tp = static_cast<int>(ranks_in(index));
        out.rank_names = true;
    }
    return out;
}

}  // namespace ckpt
