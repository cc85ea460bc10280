#include "ckpt_convert/app/verify.h"

#include <algorithm>

#include "base/format.h"
#include "base/parallel.h"
#include "ckpt_convert/execute/tile_reader.h"
#include "ckpt_convert/open/adapters.h"
#include "ckpt_convert/target/training.h"

namespace ckpt {
namespace {

Readable readable(const Source& source) { return {&source.index, &source.binding, &source.model}; }

std::uint64_t bytes_of(const Source& source) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < source.binding.tensors.size(); ++i)
        sum += checked_bytes(source.model.tensors()[i].shape, source.binding.tensors[i].dtype).value_or(0);
    return sum;
}

// The second checkpoint may lean on the config of the first, and the other way round.
SourceOptions other_options(const VerifyOptions& options, const Path& directory, const Path& companions) {
    SourceOptions out = options.checkpoint;
    out.directory = directory;
    if (out.hf_config_dir.empty()) out.hf_config_dir = companions;
    return out;
}

void describe(VerifySummary& summary, const Source& source) {
    summary.titles.push_back(source.title);
    summary.notes.insert(summary.notes.end(), source.notes.begin(), source.notes.end());
    summary.notes.insert(summary.notes.end(), source.binding.notes.begin(), source.binding.notes.end());
}

// Said once: the values may still be the same.
void note_element_types(VerifySummary& summary, const Source& first, const Source& second) {
    std::size_t count = std::min(first.binding.tensors.size(), second.binding.tensors.size());
    for (std::size_t i = 0; i < count; ++i) {
        DType a = first.binding.tensors[i].dtype, b = second.binding.tensors[i].dtype;
        if (a == b) continue;
        summary.notes.push_back(base::format(
            "the element types differ ({} and {}): values are compared in what both hold", name(a), name(b)));
        return;
    }
}

void add(std::vector<TensorDifference>& differences, const std::vector<TensorDifference>& more) {
    differences.insert(differences.end(), more.begin(), more.end());
}

// Where a layout joins modules, one adapter of a higher rank stands for several.
Status check_ranks(const Source& first, const Source& second, const Path& where) {
    const std::uint64_t a = first.adapter_rank, b = second.adapter_rank;
    if (a == b) return {};
    if (a == 0 || b == 0)
        return base::fail(ErrorKind::usage, "one is a LoRA adapter without its model, and the other is none", where);
    return base::fail(ErrorKind::unsupported,
                      base::format("the adapters are of rank {} and {}, as where modules are one; merge each into its "
                                   "model with --lora-load, and compare the results",
                                   a, b),
                      where);
}

// Factors of adapters are the same only with the same scale.
void note_scales(VerifySummary& summary, const Source& first, const Source& second) {
    const auto &a = first.adapter_scale, &b = second.adapter_scale;
    if (a && b && *a != *b)
        summary.differences.push_back({"lora_alpha", base::format("the products are scaled with {} and {}", *a, *b)});
    else if (a.has_value() != b.has_value())
        summary.notes.push_back("one of the adapters does not say how it is scaled");
}

// The bytes of the files, then the values of the weights.
Status verify_alone(base::FileSystem& fs, const Source& source, const Path& root, VerifySummary& summary,
                    CompareOptions& options, const ProgressMaker& progress) {
    TRY_ASSIGN(KnownSums known, find_known_sums(fs, root, source.directory));
    TRY_ASSIGN(std::uint64_t file_bytes, content_bytes(fs, source.index, known));
    // What the run keeps of a weight is three numbers of four bytes; they are read twice, and the weights once more.
    std::uint64_t state_bytes = source.has_optimizer ? source.model.parameters() * 24 + summary.bytes : 0;
    options.progress = progress(file_bytes + summary.bytes + state_bytes);
    TRY_ASSIGN(summary.content,
               check_content(fs, root, source.directory, source.index, known, {options.threads, options.progress}));
    add(summary.differences, summary.content->problems);
    summary.notes.insert(summary.notes.end(), summary.content->notes.begin(), summary.content->notes.end());
    TRY_ASSIGN(auto found, check_values(readable(source), options));
    add(summary.differences, found);
    return {};
}

// In rank files a copy stands for the same weight, and one with other values is a difference to tell. Elsewhere it is a weight.
Result<Source> open_to_compare(base::FileSystem& fs, const Knowledge& knowledge, const SourceOptions& options) {
    auto source = open_comparable(fs, knowledge, options, Copies::trusted);
    if (!source || source->side == Side::megatron) return source;
    return open_comparable(fs, knowledge, options);
}

// Where one has a weight of its own that the other has not, the copies in rank files may be weights as well.
Status open_copies_as_weights(base::FileSystem& fs, const Knowledge& knowledge, const VerifyOptions& options,
                              Source& first, Source& second) {
    if (first.model.tensors().size() == second.model.tensors().size()) return {};
    for (auto [source, other] : {std::pair(&first, &second), std::pair(&second, &first)}) {
        if (source->side != Side::megatron) continue;
        const Path& directory = source == &first ? options.checkpoint.directory : options.against;
        auto again = open_source(fs, knowledge, other_options(options, directory, other->companions));
        if (again) *source = std::move(*again);
    }
    return {};
}

}  // namespace

Result<VerifySummary> verify(base::FileSystem& fs, const Knowledge& knowledge, const VerifyOptions& options,
                             const ProgressMaker& progress) {
    TRY_ASSIGN(Source first, open_to_compare(fs, knowledge, options.checkpoint));
    VerifySummary summary;
    summary.family = first.model.mapping().family;
    summary.tensors = first.model.tensors().size();
    summary.bytes = bytes_of(first);
    describe(summary, first);
    CompareOptions compare_options;
    compare_options.threads = options.threads > 0 ? options.threads : base::default_thread_count();
    compare_options.tile_bytes = tile_bytes_within(options.memory_bytes, compare_options.threads);
    if (options.against.empty()) {
        TRY(verify_alone(fs, first, options.checkpoint.directory, summary, compare_options, progress));
        if (!first.has_optimizer) return summary;
        TRY_ASSIGN(StateFindings state, verify_training(fs, knowledge, first, compare_options));
        add(summary.differences, state.differences);
        summary.notes.push_back(std::move(state.note));
        return summary;
    }
    TRY_ASSIGN(Source second,
               open_to_compare(fs, knowledge, other_options(options, options.against, first.companions)));
    if (!first.config && second.config) {
        // Opened again with a config, which says how much of the vocabulary is padding.
        TRY_ASSIGN(first, open_to_compare(fs, knowledge,
                                          other_options(options, options.checkpoint.directory, second.companions)));
    }
    // A Hugging Face checkpoint may have layers for multi-token prediction that the other was made without.
    for (auto [source, other] : {std::pair(&first, &second), std::pair(&second, &first)}) {
        if (source->side != Side::huggingface || other->side == Side::huggingface) continue;
        if (source->model.mtp_layers() <= other->model.mtp_layers()) continue;
        SourceOptions again = other_options(options, source->directory, source->companions);
        again.mtp_layers = other->model.mtp_layers();
        TRY_ASSIGN(*source, open_to_compare(fs, knowledge, again));
    }
    TRY(open_copies_as_weights(fs, knowledge, options, first, second));
    describe(summary, second);
    note_element_types(summary, first, second);
    TRY(check_ranks(first, second, options.against));
    compare_options.zeros_are_nothing = first.adapter_rank > 0;
    note_scales(summary, first, second);
    compare_options.progress = progress(summary.bytes);
    TRY_ASSIGN(const auto differences, compare(readable(first), readable(second), compare_options));
    add(summary.differences, differences);
    return summary;
}

}  // namespace ckpt
