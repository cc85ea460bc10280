#include "ckpt_convert/open/sharded_source.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <unordered_set>

#include "base/format.h"
#include "base/human.h"
#include "base/text.h"
#include "ckpt_convert/mapping/model_mapping.h"
#include "ckpt_convert/open/numbered_states.h"

namespace ckpt {
namespace {

// Whether a path relative to the directory is there; its last part may be a pattern. What cannot be looked at says nothing.
bool stands_beside(base::FileSystem& fs, const Path& directory, const std::string& file) {
    const Path path = base::join(directory, file);
    if (file.find('*') == file.npos) return base::is_there(fs, path).value_or(false);
    Path above = base::parent(path);
    std::string part(base::file_name(path));
    if (base::file_name(above).find('*') != std::string_view::npos) {
        part = std::string(base::file_name(above)) + "/" + part;
        above = base::parent(above);
    }
    const auto entries = fs.list(above);
    if (!entries) return false;
    return std::any_of(entries->begin(), entries->end(), [&](const auto& entry) {
        const std::size_t slash = part.find('/');
        if (slash == part.npos) return matches_pattern(part, entry.name);
        return matches_pattern(part.substr(0, slash), entry.name) &&
               base::is_there(fs, base::join(base::join(above, entry.name), part.substr(slash + 1))).value_or(false);
    });
}

bool is_any_near(base::FileSystem& fs, const Path& directory, const std::vector<std::string>& files) {
    return std::any_of(files.begin(), files.end(),
                       [&](const std::string& file) { return stands_beside(fs, directory, file); });
}

std::vector<std::string> names_of(const TorchDistIndex& content) {
    std::vector<std::string> out;
    for (const auto& tensor : content.tensors) out.push_back(tensor.fqn);
    for (const auto& bytes : content.bytes) out.push_back(bytes.fqn);
    return out;
}

const SavedBy* saved_by(base::FileSystem& fs, const DistributedNames& names, const ShardedCheckpoint& checkpoint,
                        const std::vector<std::string>& entries) {
    for (const SavedBy& one : names.saved_by) {
        const bool has_entries = std::all_of(one.entries.begin(), one.entries.end(), [&](const std::string& pattern) {
            return std::any_of(entries.begin(), entries.end(),
                               [&](const std::string& name) { return matches_pattern(pattern, name); });
        });
        const bool has_file = one.files.empty() || is_any_near(fs, checkpoint.directory, one.files);
        if (has_entries && has_file) return &one;
    }
    return nullptr;
}

// The number of steps that the optimizer has gone, which each parameter has for itself.
std::optional<double> step_of(base::FileSystem& fs, const ShardedCheckpoint& checkpoint,
                              const TorchDistTensor& tensor) {
    if (!tensor.shape.empty() || tensor.dtype != DType::f32 || tensor.chunks.size() != 1) return std::nullopt;
    const auto file = fs.open(base::join(checkpoint.directory, checkpoint.content.files[tensor.chunks[0].file]));
    float value = 0;
    char bytes[sizeof(value)] = {};
    if (!file || !(*file)->read_at(tensor.chunks[0].file_offset, std::as_writable_bytes(std::span(bytes))))
        return std::nullopt;
    std::memcpy(&value, bytes, sizeof(value));
    return value;
}

// Without "..", where no link is on the way.
Path shown_path(base::FileSystem& fs, const Path& path) {
    Path plain = base::normal_path(path);
    const auto real = fs.real_path(path), same = fs.real_path(plain);
    return real && same && *real == *same ? plain : path;
}

Path config_of(base::FileSystem& fs, const DistributedNames& names, const Path& directory) {
    for (const std::string& place : names.configs) {
        const Path candidate = place == "." ? directory : base::join(directory, place);
        if (fs.exists(base::join(candidate, "config.json"))) return shown_path(fs, candidate);
    }
    return "";
}

constexpr const char* kExtraStates = "extra states of layers";

// Sorts the entries into weights, optimizer and others.
class EntrySorter {
public:
    EntrySorter(base::FileSystem& fs, const DistributedNames& names, ShardedSource& out, const SavedBy* by)
        : fs_(fs), names_(names), out_(out) {
        const TorchDistIndex& content = out.checkpoint.content;
        if (by == nullptr || by->refuse.empty()) container_ = names.guess_container(names_of(content));
    }

    Status sort() {
        for (const TorchDistTensor& tensor : out_.checkpoint.content.tensors) {
            const EntryName entry = names_.entry(tensor.fqn, tensor.path, container_);
            if (entry.kind != EntryName::Kind::weight) add_other(entry, &tensor);
            else if (names_.is_no_weight(entry.name)) beside_.insert(kExtraStates);
            else TRY(add_weight(tensor, names_.unwrapped(entry.name)));
        }
        for (const TorchDistBytes& bytes : out_.checkpoint.content.bytes) {
            const EntryName entry = names_.entry(bytes.fqn, bytes.path, container_);
            if (entry.kind != EntryName::Kind::weight) add_other(entry, nullptr);
            else if (names_.is_no_weight(entry.name)) beside_.insert(kExtraStates);
        }
        for (const SavedBeside& one : names_.beside) {
            if (is_any_near(fs_, out_.checkpoint.directory, one.files)) beside_.insert(one.what);
        }
        out_.beside.assign(beside_.begin(), beside_.end());
        return {};
    }

private:
    Status add_weight(const TorchDistTensor& tensor, const std::string& name) {
        if (!weights_.insert(name).second)
            return base::fail(ErrorKind::bad_input,
                              base::format("two tensors are {} when the names of wrappers are taken away", name),
                              out_.checkpoint.directory);
        add_parts(out_.weights, tensor, name, shapes_);
        ++out_.weight_count;
        return {};
    }

    void add_other(const EntryName& entry, const TorchDistTensor* tensor) {
        if (entry.kind == EntryName::Kind::optimizer) {
            out_.has_optimizer = true;
            if (tensor != nullptr) add_trained(entry.name);
            if (!out_.step && tensor != nullptr && entry.name.ends_with(".step"))
                out_.step = step_of(fs_, out_.checkpoint, *tensor);
            return;
        }
        beside_.insert(names_.what_is_beside(entry.name));
    }

    // "state.model.norm.weight.exp_avg"
    void add_trained(std::string_view state) {
        constexpr std::string_view kStates = "state.";
        const std::size_t dot = state.rfind('.');
        if (!state.starts_with(kStates) || dot < kStates.size()) return;
        out_.trained.insert(names_.unwrapped(std::string(state.substr(kStates.size(), dot - kStates.size()))));
    }

    base::FileSystem& fs_;
    const DistributedNames& names_;
    ShardedSource& out_;
    std::string container_;
    std::unordered_set<std::string> weights_;
    SharedPool<Shape> shapes_;
    std::set<std::string> beside_;
};

}  // namespace

Result<ShardedSource> open_sharded(base::FileSystem& fs, const DistributedNames& names, const Path& directory,
                                   const Path& config_dir) {
    ShardedSource out;
    TRY_ASSIGN(out.checkpoint, open_named_shards(fs, names, directory));
    out.has_optimizer = out.checkpoint.has_optimizer;
    if (!out.checkpoint.steps.empty()) out.step = out.checkpoint.steps.rbegin()->first;
    TRY_ASSIGN(out.weights.files, open_files(fs, directory, out.checkpoint.content));
    const SavedBy* by = saved_by(fs, names, out.checkpoint, names_of(out.checkpoint.content));
    if (by != nullptr) {
        out.saved_by = by->title;
        out.refusal = by->refuse;
        out.names = by->names;
    }
    TRY(EntrySorter(fs, names, out, by).sort());
    out.has_optimizer |= find_optimizer(fs, names, directory).has_value();
    out.config = config_dir.empty() ? config_of(fs, names, directory) : config_dir;
    return out;
}

Status check_readable(const ShardedSource& source) {
    const Path& directory = source.checkpoint.directory;
    if (!source.refusal.empty())
        return base::fail(ErrorKind::unsupported,
                          base::format("this is of {}, which is not read: {}", source.saved_by, source.refusal),
                          directory);
    if (source.weights.tensors.empty())
        return base::fail(ErrorKind::bad_input,
                          source.has_optimizer
                              ? "there is only the state of an optimizer here; name the directory with "
                                "the weights"
                              : "there are no weights here",
                          directory);
    return {};
}

Result<HfCheckpoint> hf_of_sharded(base::FileSystem& fs, ShardedSource source) {
    TRY(check_readable(source));
    const Path& directory = source.checkpoint.directory;
    if (source.config.empty())
        return base::fail(ErrorKind::usage,
                          "there is no config.json in this checkpoint or near it; name the directory of the original "
                          "model with --hf-cfg-dir",
                          directory);
    TRY_ASSIGN(JsonDocument config, read_hf_config(fs, source.config));
    return HfCheckpoint{directory, std::move(config), std::move(source.weights), std::move(source.names)};
}

std::string title_of(const ShardedSource& source) {
    if (source.saved_by.empty()) return source.checkpoint.format;
    return base::format("{}, saved by {}", source.checkpoint.format, source.saved_by);
}

}  // namespace ckpt
