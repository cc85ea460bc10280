#include "ckpt_convert/target/planned_output.h"

#include "base/format.h"
#include "base/text.h"
#include "ckpt_convert/open/option_values.h"

namespace ckpt {
namespace {

Status check_form(const ModelMapping& mapping, const std::string& form) {
    std::vector<std::string> forms;
    for (const StoredRule& rule : mapping.hf) {
        if (!rule.form.empty() && !base::contains(forms, rule.form)) forms.push_back(rule.form);
    }
    if (form.empty() || base::contains(forms, form)) return {};
    return base::fail(ErrorKind::usage,
                      forms.empty()
                          ? base::format("--experts-as {}: {} stores its tensors in one way only", form, mapping.title)
                          : base::format("--experts-as {}: {} stores its experts as {}", form, mapping.title,
                                         base::joined(forms, ", ")));
}

}  // namespace

PlanOptions plan_options(const ConvertOptions& options, VocabFill fill) {
    PlanOptions out;
    out.fill = fill;
    out.dtype = weight_dtype(options.params_dtype);
    return out;
}

Side target_side(const Source& source, const ConvertOptions& options) {
    if (options.to != Side::unknown) return options.to;
    return source.side == Side::huggingface ? Side::megatron : Side::huggingface;
}

Result<Layout> written_hf_layout(const Model& model, const std::string& form, const Naming* names, int tp) {
    const auto& prefixes = model.mapping().hf_prefixes;
    HfVariant variant;
    if (!prefixes.empty()) variant.prefix = prefixes.front();
    TRY(check_form(model.mapping(), form));
    variant.form = form;
    variant.names = names;
    variant.tp = tp;
    TRY_ASSIGN(Layout layout, hf_layout(model, variant));
    for (LayoutTensor& tensor : layout.tensors) take_first(tensor);
    return layout;
}

}  // namespace ckpt
