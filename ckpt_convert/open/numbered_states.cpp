#include "ckpt_convert/open/numbered_states.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/format.h"
#include "base/number_text.h"
#include "ckpt_convert/tensor/cast.h"

namespace ckpt {
namespace {

constexpr std::string_view kStateFront = "state.", kGroupFront = "param_groups.";
constexpr const char *kParameterList = "params", *kStepKey = "step";
constexpr const char* kMegatronSetting = "wd_mult";  // that only groups of Megatron have
constexpr std::uint64_t kComparedElements = 64;

using Number = std::uint64_t;

// "NUMBER.REST"
std::optional<std::pair<Number, std::string>> split_number(std::string_view text) {
    const std::size_t dot = text.find('.');
    if (dot == text.npos) return std::nullopt;
    const auto number = base::number_in<Number>(text.substr(0, dot));
    if (!number) return std::nullopt;
    return std::pair(*number, std::string(text.substr(dot + 1)));
}

// For each shape the place of one of `all` in the same order, when there is a single way to choose them.
std::optional<std::vector<std::size_t>> only_fit(const std::vector<Shape>& shapes, const std::vector<Shape>& all) {
    std::vector<std::size_t> first;
    for (std::size_t i = 0; i < all.size() && first.size() < shapes.size(); ++i) {
        if (all[i] == shapes[first.size()]) first.push_back(i);
    }
    if (first.size() < shapes.size()) return std::nullopt;
    std::size_t left = shapes.size();
    for (std::size_t i = all.size(); i-- > 0 && left > 0;) {
        if (all[i] == shapes[left - 1] && first[--left] != i) return std::nullopt;
    }
    return first;
}

class StateNamer {
public:
    StateNamer(base::FileSystem& fs, const DistributedNames& names, ShardedCheckpoint& checkpoint)
        : fs_(fs), names_(names), checkpoint_(checkpoint) {}

    Status run() {
        collect_tensors();
        // Objects that nobody asks for may be of any kind; the lists of parameters tell whether the others are needed.
        if (!collect_settings(true) || !is_numbered_) return {};
        if (auto read = collect_settings(false); !read) {
            checkpoint_.states_refused = read.error().message;
            return {};
        }
        if (!place_all()) {
            checkpoint_.states_refused =
                "the optimizer numbers its parameters, and the order and shapes of the weights do not tell which they "
                "are; --optimizer drop leaves the state out";
            return {};
        }
        for (const auto& [number, tensors] : states_) rename(weight_of_.at(number), tensors);
        TRY(take_copies());
        name_groups();
        drop_what_is_named();
        return {};
    }

private:
    struct Group {
        std::vector<std::pair<std::string, pickle::Ref>> values;
        std::vector<Number> parameters;
    };
    // What the optimizer has beside its container: "state.0.exp_avg".
    std::optional<std::string> of_optimizer(const std::string& fqn, const std::vector<std::string>& path) const {
        EntryName entry = names_.entry(fqn, path, "");
        if (entry.kind != EntryName::Kind::optimizer) return std::nullopt;
        for (const std::string& inner : names_.inner_optimizers) {
            if (entry.name.starts_with(inner + ".")) entry.name.erase(0, inner.size() + 1);
        }
        return std::move(entry.name);
    }

    void collect_tensors() {
        const TorchDistIndex& content = checkpoint_.content;
        for (std::size_t i = 0; i < content.tensors.size(); ++i) collect_tensor(i);
        std::sort(weights_.begin(), weights_.end(), [&](std::size_t a, std::size_t b) {
            return content.tensors[a].saved_at < content.tensors[b].saved_at;
        });
    }

    // The lists of parameters, or all other settings of groups.
    Status collect_settings(bool lists) {
        for (const TorchDistBytes& bytes : checkpoint_.content.bytes) {
            const auto name = of_optimizer(bytes.fqn, bytes.path);
            if (!name || !name->starts_with(kGroupFront)) continue;
            const auto setting = split_number(std::string_view(*name).substr(kGroupFront.size()));
            if (setting && (setting->second == kParameterList) == lists)
                TRY(collect_setting(bytes, groups_[setting->first], setting->second));
        }
        return {};
    }

    void collect_tensor(std::size_t index) {
        const TorchDistTensor& tensor = checkpoint_.content.tensors[index];
        if (names_.entry(tensor.fqn, tensor.path, "").kind == EntryName::Kind::weight && !tensor.path.empty()) {
            weights_.push_back(index);
            return;
        }
        const auto name = of_optimizer(tensor.fqn, tensor.path);
        if (!name) return;
        if (name->starts_with(kStateFront)) {
            if (auto state = split_number(std::string_view(*name).substr(kStateFront.size())))
                states_[state->first].emplace_back(index, std::move(state->second));
        }
        for (const std::string& front : names_.copies) {
            if (!name->starts_with(front + ".")) continue;
            const auto group = split_number(std::string_view(*name).substr(front.size() + 1));
            const auto place = group ? base::number_in<Number>(group->second) : std::nullopt;
            if (place) copies_[group->first][*place] = index;
        }
    }

    Status collect_setting(const TorchDistBytes& bytes, Group& group, const std::string& key) {
        TRY_ASSIGN(const auto file, fs_.open(base::join(checkpoint_.directory, checkpoint_.content.files[bytes.file])));
        TRY_ASSIGN(TorchFile read, TorchFile::read(*file, bytes.offset, bytes.bytes));
        owners_.push_back(std::make_shared<const TorchFile>(std::move(read)));
        const pickle::Ref value = owners_.back()->root();
        if (key != kParameterList) {
            group.values.emplace_back(key, value);
            return {};
        }
        const auto* list = value->as<pickle::List>();
        if (list == nullptr) return {};
        for (const pickle::Ref item : list->items) {
            const auto* number = item->as<std::int64_t>();
            if (number == nullptr) return {};  // names
            is_numbered_ = true;
            group.parameters.push_back(static_cast<Number>(*number));
        }
        return {};
    }

    // The shape of a parameter's moments.
    const Shape* shape_of(Number number) const {
        const auto found = states_.find(number);
        if (found == states_.end()) return nullptr;
        for (const auto& [index, what] : found->second) {
            if (what != kStepKey) return &checkpoint_.content.tensors[index].shape;
        }
        return nullptr;
    }

    // Several groups are told apart when one has the vectors and one the others.
    bool place_all() {
        std::map<bool, std::size_t> groups_of_kind;
        for (const auto& [number, group] : groups_) {
            std::vector<Shape> shapes;
            for (const Number parameter : group.parameters) {
                const Shape* shape = shape_of(parameter);
                if (shape == nullptr) return false;
                shapes.push_back(*shape);
            }
            if (shapes.empty()) continue;
            std::optional<bool> vectors;
            if (groups_.size() > 1) vectors = shapes.front().size() < 2;
            if (vectors && ++groups_of_kind[*vectors] > 1) return false;
            if (!place(group, shapes, vectors)) return false;
        }
        return std::all_of(states_.begin(), states_.end(),
                           [&](const auto& state) { return weight_of_.contains(state.first); });
    }

    bool place(const Group& group, const std::vector<Shape>& shapes, std::optional<bool> vectors) {
        std::vector<std::size_t> candidates;
        std::vector<Shape> their_shapes;
        for (const std::size_t weight : weights_) {
            const Shape& shape = checkpoint_.content.tensors[weight].shape;
            if (vectors && *vectors != (shape.size() < 2)) continue;
            candidates.push_back(weight);
            their_shapes.push_back(shape);
        }
        const auto fit = only_fit(shapes, their_shapes);
        if (!fit) return false;
        for (std::size_t i = 0; i < shapes.size(); ++i) {
            if (!weight_of_.emplace(group.parameters[i], candidates[(*fit)[i]]).second) return false;
        }
        return true;
    }

    std::string name_of(std::size_t weight) const {
        const TorchDistTensor& tensor = checkpoint_.content.tensors[weight];
        return names_.entry(tensor.fqn, tensor.path, "").name;
    }

    void rename(std::size_t weight, const std::vector<std::pair<std::size_t, std::string>>& tensors) {
        const std::string name = name_of(weight);
        for (const auto& [index, what] : tensors) {
            TorchDistTensor& tensor = checkpoint_.content.tensors[index];
            const std::string container = names_.optimizer.front();
            tensor.fqn = base::format("{}.{}{}.{}", container, kStateFront, name, what);
            tensor.path = {container, "state", name, what};
        }
    }

    // A group has copies of those of its parameters that have fewer bits.
    Status take_copies() {
        TRY_ASSIGN(const auto files, open_files(fs_, checkpoint_.directory, checkpoint_.content));
        for (const auto& [number, copies] : copies_) {
            std::vector<std::size_t> narrow;
            for (const Number parameter : groups_[number].parameters) {
                const std::size_t weight = weight_of_.at(parameter);
                if (checkpoint_.content.tensors[weight].dtype != DType::f32) narrow.push_back(weight);
            }
            for (const auto& [place, copy] : copies) {
                if (place >= narrow.size()) return other_copy(checkpoint_.content.tensors[copy].fqn);
                TRY(take_copy(checkpoint_.content.tensors[narrow[place]], checkpoint_.content.tensors[copy], files));
            }
        }
        return {};
    }

    using Files = std::vector<std::shared_ptr<base::ReadableFile>>;

    Status take_copy(TorchDistTensor& weight, TorchDistTensor& copy, const Files& files) const {
        if (copy.dtype != DType::f32 || copy.shape != weight.shape || !can_cast(copy.dtype, weight.dtype))
            return other_copy(weight.fqn);
        for (const TorchDistChunk& part : weight.chunks) {
            const auto same = std::find_if(copy.chunks.begin(), copy.chunks.end(), [&](const TorchDistChunk& one) {
                return one.offsets == part.offsets && one.sizes == part.sizes;
            });
            if (same != copy.chunks.end()) TRY(compare(weight, part, *same, files));
        }
        weight.dtype = copy.dtype;
        weight.chunks = std::move(copy.chunks);
        return {};
    }

    Status compare(const TorchDistTensor& weight, const TorchDistChunk& part, const TorchDistChunk& copy,
                   const Files& files) const {
        if (!part.contiguous || !copy.contiguous) return {};
        const std::uint64_t elements = *checked_elements(part.sizes), count = std::min(elements, kComparedElements);
        const std::uint64_t bytes = bits(weight.dtype) / 8, full_bytes = sizeof(float);
        std::vector<std::byte> stored(count * bytes), rounded(count * bytes), full(count * full_bytes);
        for (const std::uint64_t first : {std::uint64_t{0}, elements - count}) {
            TRY(files[part.file]->read_at(part.file_offset + first * bytes, stored));
            TRY(files[copy.file]->read_at(copy.file_offset + first * full_bytes, full));
            cast(rounded.data(), weight.dtype, full.data(), DType::f32, count);
            if (rounded != stored) return other_copy(weight.fqn);
        }
        return {};
    }

    Status other_copy(const std::string& name) const {
        return base::fail(ErrorKind::bad_input,
                          base::format("{} is not its copy in full precision, rounded; was the save complete?", name),
                          checkpoint_.directory);
    }

    void name_groups() {
        ShardedGroups& out = checkpoint_.groups;
        for (auto& [number, group] : groups_) {
            ShardedGroup named;
            for (const Number parameter : group.parameters) named.names.push_back(name_of(weight_of_.at(parameter)));
            for (auto& [key, value] : group.values) {
                out.of_megatron |= key == kMegatronSetting;
                const auto* steps = value->as<std::int64_t>();
                if (key == kStepKey && steps != nullptr && !named.names.empty())
                    checkpoint_.steps.emplace(static_cast<double>(*steps), named.names.front());
                if (key != kStepKey) named.values.emplace_back(key, value);
            }
            out.groups.push_back(std::move(named));
        }
        out.owners = std::move(owners_);
    }

    // The copies are weights now, and the settings are in the groups.
    void drop_what_is_named() {
        std::vector<bool> gone(checkpoint_.content.tensors.size(), false);
        for (const auto& [group, copies] : copies_) {
            for (const auto& [place, index] : copies) gone[index] = true;
        }
        std::size_t index = 0;
        std::erase_if(checkpoint_.content.tensors, [&](const TorchDistTensor&) { return gone[index++]; });
        std::erase_if(checkpoint_.content.bytes, [&](const TorchDistBytes& bytes) {
            const auto name = of_optimizer(bytes.fqn, bytes.path);
            return name && name->starts_with(kGroupFront) &&
                   split_number(std::string_view(*name).substr(kGroupFront.size()));
        });
    }

    base::FileSystem& fs_;
    const DistributedNames& names_;
    ShardedCheckpoint& checkpoint_;
    std::vector<std::size_t> weights_;  // by number of the tensor, in the order in which they were saved
    std::map<Number, std::vector<std::pair<std::size_t, std::string>>> states_;  // tensors, and what they are
    std::map<Number, std::map<Number, std::size_t>> copies_;                     // by group, and place in it
    std::map<Number, Group> groups_;
    std::map<Number, std::size_t> weight_of_;
    std::vector<std::shared_ptr<const TorchFile>> owners_;
    bool is_numbered_ = false;
};

}  // namespace

Result<ShardedCheckpoint> open_named_shards(base::FileSystem& fs, const DistributedNames& names,
                                            const Path& directory) {
    TRY_ASSIGN(ShardedCheckpoint out, open_sharded_checkpoint(fs, directory));
    TRY(StateNamer(fs, names, out).run());
    return out;
}

}  // namespace ckpt
