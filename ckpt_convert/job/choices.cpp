#include "ckpt_convert/job/choices.h"

#include <algorithm>
#include <charconv>

#include "base/format.h"
#include "base/nearest_word.h"
#include "base/text.h"
#include "ckpt_convert/job/choice_flags.h"

namespace ckpt {
namespace {

using Number = std::int64_t;
using Change = void (*)(TrainingJob&, Number);

template <Part part>
void recompute_part(TrainingJob& job, Number) {
    job.memory.recomputed[static_cast<std::size_t>(part)] = true;
}

struct Effect {
    std::string_view word;
    Change change;
};

const Effect kEffects[] = {
    {"uniform recomputation",
     [](TrainingJob& job, Number layers) {
         job.memory.recompute = Recompute::uniform;
         job.memory.recompute_layers = static_cast<int>(std::max<Number>(layers, 1));
     }},
    {"block recomputation",
     [](TrainingJob& job, Number layers) {
         job.memory.recompute = Recompute::block;
         job.memory.recompute_layers = static_cast<int>(std::max<Number>(layers, 1));
     }},
    {"blocks of a rank", [](TrainingJob& job, Number) { job.memory.recompute_per_rank = true; }},
    {"core attention again", recompute_part<Part::core_attention>},
    {"norms again", recompute_part<Part::norm>},
    {"MLPs again", recompute_part<Part::mlp>},
    {"activation functions again", recompute_part<Part::activation_function>},
    {"activations of experts again", recompute_part<Part::moe_activation>},
    {"experts again", recompute_part<Part::moe>},
    {"shared experts again", recompute_part<Part::shared_experts>},
    {"latent projections again", recompute_part<Part::latent_up>},
    {"operators again", [](TrainingJob& job, Number) { job.memory.alternate_products = true; }},
    {"attention swapped",
     [](TrainingJob& job, Number layers) {
         job.memory.swap_attention = true;
         job.memory.mlp_layers = static_cast<int>(layers);
     }},
    {"inputs offloaded", [](TrainingJob& job, Number) { job.memory.offload_activations = true; }},
    {"no distributed optimizer", [](TrainingJob& job, Number) { job.optimizer.distributed = false; }},
    {"masters reused", [](TrainingJob& job, Number) { job.optimizer.reuse_fp32 = true; }},
    {"optimizer swapped", [](TrainingJob& job, Number) { job.optimizer.swap = true; }},
    {"moments virtual", [](TrainingJob& job, Number) { job.optimizer.virtual_states = true; }},
    {"no masters", [](TrainingJob& job, Number) { job.optimizer.o2 = true; }},
    {"bf16 gradients", [](TrainingJob& job, Number) { job.optimizer.gradient_bytes = 2; }},
    {"bf16 moments", [](TrainingJob& job, Number) { job.optimizer.moment_bytes = 4; }},
    {"8 bit moments", [](TrainingJob& job, Number) { job.optimizer.moment_bytes = 2; }},
    {"one moment", [](TrainingJob& job, Number) { job.optimizer.muon = true; }},
    {"fused loss", [](TrainingJob& job, Number) { job.memory.fused_cross_entropy = true; }},
    {"eager loss", [](TrainingJob& job, Number) { job.memory.eager_cross_entropy = true; }},
    {"compiled loss", [](TrainingJob& job, Number) { job.memory.compiled_cross_entropy = true; }},
    {"FlashAttention", [](TrainingJob& job, Number) { job.memory.flash_attention_2 = true; }},
    {"loss in chunks",
     [](TrainingJob& job, Number tokens) {
         job.memory.chunked_loss = true;
         job.memory.loss_chunk = tokens > 0 ? tokens : 1024;
     }},
    {"no flash attention", [](TrainingJob& job, Number) { job.memory.flash_attention = false; }},
    {"activation unfused", [](TrainingJob& job, Number) { job.memory.fused_swiglu = false; }},
    {"gradients unfused", [](TrainingJob& job, Number) { job.memory.fused_gradients = false; }},
    {"dropout", [](TrainingJob& job, Number) { job.memory.hidden_dropout = job.memory.attention_dropout = true; }},
    {"no sequence parallelism", [](TrainingJob& job, Number) { job.ranks.sequence_parallel = false; }},
    {"probabilities late", [](TrainingJob& job, Number) { job.memory.late_probabilities = true; }},
    {"weights kept open", [](TrainingJob& job, Number) { job.sharded.reshard = false; }},
    {"states on the host", [](TrainingJob& job, Number) { job.sharded.cpu_offload = true; }},
    {"bf16 shards", [](TrainingJob& job, Number) { job.sharded.bf16_weights = true; }},
    {"bf16 reduction", [](TrainingJob& job, Number) { job.sharded.reduce_fp32 = false; }},
};

const Effect* effect_of(std::string_view word) {
    const auto found = std::find_if(std::begin(kEffects), std::end(kEffects),
                                    [&](const Effect& effect) { return effect.word == word; });
    return found == std::end(kEffects) ? nullptr : found;
}

bool takes_number(const Choice& choice, Engine engine) {
    const auto flags = flags_of(choice, engine);
    return std::any_of(flags.begin(), flags.end(), [](const ChoiceFlag& flag) {
        return base::contains(flag.values, std::string(kNumberOfChoice));
    });
}

Result<Chosen> read_word(const Choices& choices, std::string_view text, Engine engine) {
    const std::size_t colon = text.find(':');
    const std::string_view word = text.substr(0, colon);
    std::int64_t number = 0;
    if (colon != std::string_view::npos) {
        const std::string_view digits = text.substr(colon + 1);
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
        if (error != std::errc() || end != digits.data() + digits.size() || number < 1)
            return base::fail(ErrorKind::usage,
                              base::format("--with {}: a number above 0 is expected after the colon", text));
    }
    std::vector<std::string> words;
    for (const Choice& choice : choices.choices) {
        words.push_back(choice.word);
        if (choice.word != word) continue;
        if (!has_choice(choice, engine))
            return base::fail(ErrorKind::usage, base::format("--with {}: {} has no such option", word, name(engine)));
        if (number > 0 && !takes_number(choice, engine))
            return base::fail(ErrorKind::usage, base::format("--with {}: {} takes no number", text, word));
        return Chosen{&choice, number};
    }
    return base::fail(ErrorKind::usage, base::format("--with: there is no \"{}\"{}", word,
                                                     base::did_you_mean_or_all(std::string(word), words)));
}

// Whether a job has a choice: making it again changes nothing.
bool has_made(const TrainingJob& job, const Choice& choice, std::int64_t number) {
    TrainingJob again = job;
    apply_choice(choice, number, again);
    return again.memory == job.memory && again.optimizer == job.optimizer && again.sharded == job.sharded &&
           again.ranks.sequence_parallel == job.ranks.sequence_parallel;
}

// The numbers that a word of the job may have behind its colon.
std::array<std::int64_t, 3> numbers_of(const MemoryOptions& memory) {
    return {memory.recompute_layers, memory.mlp_layers, memory.loss_chunk};
}

}  // namespace

Result<Choices> load_choices(const base::DataStore& store) {
    const std::string path = "rules/planner/choices.json";
    TRY_ASSIGN(Choices out, base::read_rule_record<Choices>(store, path));
    for (const Choice& choice : out.choices)
        if (effect_of(choice.does) == nullptr)
            return base::fail(ErrorKind::rule_data,
                              base::format("\"{}\" of {} is nothing that a job can do", choice.does, choice.word),
                              path);
    return out;
}

Result<std::vector<Chosen>> read_choices(const Choices& choices, std::string_view words, Engine engine) {
    std::vector<Chosen> out;
    if (words == kNoChoice) return out;
    while (!words.empty()) {
        const std::size_t comma = words.find(',');
        TRY_ASSIGN(const Chosen one, read_word(choices, words.substr(0, comma), engine));
        out.push_back(one);
        words = comma == std::string_view::npos ? std::string_view() : words.substr(comma + 1);
    }
    return out;
}

Status apply_choices(const Choices& choices, std::string_view words, TrainingJob& job) {
    TRY_ASSIGN(const std::vector<Chosen> all, read_choices(choices, words, job.engine));
    for (const Chosen& one : all) apply_choice(*one.choice, one.number, job);
    return {};
}

std::string chosen_words(const Choices& choices, const TrainingJob& job) {
    TrainingJob plain;
    plain.engine = job.engine;
    plain.ranks.sequence_parallel = job.ranks.tp > 1;
    std::vector<std::string> words, done;
    for (const Choice& choice : choices.choices) {
        if (!has_choice(choice, job.engine) || base::contains(done, choice.does) || has_made(plain, choice, 0))
            continue;
        std::string word = has_made(job, choice, 0) ? choice.word : std::string();
        for (const std::int64_t number : numbers_of(job.memory)) {
            if (word.empty() && number > 0 && takes_number(choice, job.engine) && has_made(job, choice, number))
                word = base::format("{}:{}", choice.word, number);
        }
        if (word.empty()) continue;
        words.push_back(std::move(word));
        done.push_back(choice.does);
    }
    return words.empty() ? std::string(kNoChoice) : base::joined(words, ",");
}

void apply_choice(const Choice& choice, std::int64_t number, TrainingJob& job) {
    effect_of(choice.does)->change(job, number);
}

bool has_choice(const Choice& choice, Engine engine) { return choice.flags.contains(name(engine)); }

std::array<bool, kParts> recomputable_parts(const Choices& choices, Engine engine) {
    TrainingJob all;
    for (const Choice& choice : choices.choices)
        if (has_choice(choice, engine)) apply_choice(choice, 0, all);
    return all.memory.recomputed;
}

bool is_suggested(const Choice& choice, const ModelShape& model, Engine engine) {
    return choice.suggested && has_choice(choice, engine) && (!choice.experts || model.moe.experts > 0) &&
           (!choice.latent || model.latent.kv_rank > 0);
}

}  // namespace ckpt
