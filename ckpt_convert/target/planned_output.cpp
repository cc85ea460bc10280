#include "ckpt_convert/target/planned_output.h"

#include "ckpt_convert/open/option_values.h"

namespace ckpt {

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

Result<Layout> written_hf_layout(const Model& model) {
    const auto& prefixes = model.mapping().hf_prefixes;
    HfVariant variant;
    if (!prefixes.empty()) variant.prefix = prefixes.front();
    TRY_ASSIGN(Layout layout, hf_layout(model, variant));
    for (LayoutTensor& tensor : layout.tensors) take_first(tensor);
    return layout;
}

}  // namespace ckpt
