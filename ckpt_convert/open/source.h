// Source: an opened checkpoint of either kind, with everything that it tells about itself and its model.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ckpt_convert/base_names.h"
#include "ckpt_convert/checkpoint/hf_checkpoint.h"
#include "ckpt_convert/checkpoint/megatron_checkpoint.h"
#include "ckpt_convert/mapping/adam_settings.h"
#include "ckpt_convert/mapping/adapter_format.h"
#include "ckpt_convert/mapping/container.h"
#include "ckpt_convert/mapping/decisive_arguments.h"
#include "ckpt_convert/mapping/distributed_names.h"
#include "ckpt_convert/mapping/foreign_formats.h"
#include "ckpt_convert/mapping/legacy_names.h"
#include "ckpt_convert/mapping/model.h"
#include "ckpt_convert/mapping/naming.h"
#include "ckpt_convert/mapping/quantisation.h"
#include "ckpt_convert/mapping/target.h"
#include "ckpt_convert/open/source_options.h"
#include "ckpt_convert/plan/layout.h"
#include "ckpt_convert/plan/source_binding.h"

namespace ckpt {

// Everything under rules/ that conversions need.
struct Knowledge {
    MappingRegistry families;
    TargetRegistry targets;
    std::vector<QuantisationFormat> quantisation;
    AdapterFormats adapters;
    std::vector<Container> containers;
    ForeignFormats foreign;
    DistributedNames distributed;
    Namings namings;
    LegacyNames legacy;
    DecisiveArguments decisive;
    AdamSettings adam;
    std::vector<std::string> parameter_names;  // of Megatron, in the order of their making

    static Result<Knowledge> load(const base::DataStore& store);
};

// Hugging Face companion files are kept here beside a Megatron checkpoint, so that the way back needs nothing else.
inline constexpr const char* kHfConfigDir = "hf_config";

struct Source {
    Side side = Side::unknown;
    std::string title;  // "Hugging Face", "Megatron TP 2 x PP 2"
    Path directory;
    TensorIndex index;
    Model model;
    SourceBinding binding;
    std::optional<JsonDocument> config;         // config.json, when there is one
    std::string config_text;                    // its text, when it is not that of the file
    Path companions;                            // where it is, with the tokenizer; empty: nowhere
    Json args;                                  // of a Megatron checkpoint
    std::optional<ParallelLayout> parallel;     // of a Megatron checkpoint
    HfVariant variant;                          // of a checkpoint with the names of Hugging Face
    bool legacy = false;                        // Megatron wrote it before megatron-core
    bool reordered = false;                     // so long ago that its rows of Q, K and V lie in another order
    bool has_optimizer = false;                 // there is the state of an optimizer beside the weights
    ModelValues apart;                          // values that the bits of copies tell, whatever the config says
    std::shared_ptr<const ModelMapping> plain;  // where no family is known: that of the tensors as they are; else null
    std::optional<double> adapter_scale;        // of an adapter alone: of its products, where that is told
    std::uint64_t adapter_rank = 0;             // the highest of them; 0: this is no adapter
    std::vector<std::string> beside;            // what else ranks saved with the weights, for people
    std::vector<std::string> notes;
};

inline constexpr const char* kOptimizerState = "the state of the optimizer";

// Fails with unsupported when a directory holds nothing that is read, but a checkpoint of a format that is known by name.
Status refuse_foreign(base::FileSystem& fs, const Knowledge& knowledge, const Path& directory);

// Whether the bits of what a checkpoint holds twice are compared, or taken to be the same.
enum class Copies { trusted, compared };

// Opens, identifies and checks a checkpoint: every weight of the model is there once, nothing is unexplained, and what is
// there twice is the same bits. Of the payload nothing else is read.
Result<Source> open_source(base::FileSystem& fs, const Knowledge& knowledge, const SourceOptions& options,
                           Copies copies = Copies::compared);
// The same for one that is open; by the headers alone, unless copies are compared.
Result<Source> source_of(HfCheckpoint checkpoint, const Knowledge& knowledge, const SourceOptions& options,
                         Copies copies = Copies::trusted);
Result<Source> source_of(base::FileSystem& fs, MegatronCheckpoint checkpoint, const Knowledge& knowledge,
                         const SourceOptions& options, Copies copies = Copies::trusted);

// What a Megatron checkpoint tells about its model and its layout; index and binding are still empty. It need not hold all
// weights of the model.
Result<Source> identify(base::FileSystem& fs, const MegatronCheckpoint& checkpoint, const Knowledge& knowledge,
                        const SourceOptions& options);

// Where tensors with the names and shapes of the weights of `source`, which has the names of Hugging Face, lie in `index`: a
// state of each weight. `index` may get further parts.
Result<SourceBinding> bind_states(const Source& source, TensorIndex& index);

// Which of the ways that a family allows the tensors of a Hugging Face checkpoint have, by their names.
HfVariant find_variant(const ModelMapping& mapping, const TensorIndex& index);

}  // namespace ckpt
