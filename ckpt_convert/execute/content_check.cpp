#include "ckpt_convert/execute/content_check.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

#include "base/format.h"
#include "base/human.h"
#include "base/parallel.h"
#include "base/text.h"
#include "base/zip_reader.h"
#include "ckpt_convert/checkpoint/zeros.h"
#include "ckpt_convert/execute/file_digests.h"
#include "ckpt_convert/execute/file_scan.h"
#include "ckpt_convert/execute/zero_blocks.h"
#include "ckpt_convert/formats/torch_dist/metadata_files.h"
#include "ckpt_convert/formats/zip/crc32.h"
#include "ckpt_convert/tensor/cast.h"

namespace ckpt {
namespace {

constexpr const char* kOwnRecords = "the zip records in the files themselves";

// A zip archive: a file, or a part of one.
struct Archive {
    std::uint64_t begin = 0;
    std::uint64_t bytes = 0;
};

// A file to be read, and what became of it.
struct File {
    std::string shown;
    std::shared_ptr<base::ReadableFile> opened;
    std::vector<KnownSum> sums;
    std::vector<const IndexedTensor*> tensors;
    std::vector<Archive> archives;
    std::int64_t modified = 0;
    bool weights = false;

    std::string proven_by;  // empty: by nothing
    std::vector<TensorDifference> problems;
    std::vector<std::string> notes;
    std::set<std::string> zero_tensors;
    std::set<std::string> zero_rows;
};

using Files = std::map<Path, File>;  // by real path

struct RecordSum {
    base::ZipMember member;
    std::uint32_t crc32 = 0;
};

struct TensorZeros {
    const IndexedTensor* tensor;
    ZeroBlocks zeros;
};

bool is_searched(const IndexedTensor& tensor) {
    return tensor.contiguous && !tensor.quantised && tensor.bytes() > 0 && !tensor.shape.empty() &&
           can_cast(tensor.dtype, DType::f32);
}

// Reads one file for all that is asked of it.
class FileCheck {
public:
    FileCheck(File& file, const ContentOptions& options) : file_(file), options_(options) {}

    Status run() {
        std::vector<ScanRange> ranges;
        const std::uint64_t size = file_.opened->size();
        FileDigests digests(file_.sums, size);
        if (!file_.sums.empty()) ranges.push_back({0, size, [&](base::ByteSpan bytes) { digests.add(bytes); }});
        TRY_ASSIGN(std::vector<RecordSum> records, find_records());
        for (RecordSum& record : records)
            ranges.push_back({record.member.offset, record.member.offset + record.member.bytes,
                              [&record](base::ByteSpan bytes) { record.crc32 = crc32(bytes, record.crc32); }});
        std::vector<TensorZeros> tensors = find_tensors();
        for (TensorZeros& one : tensors)
            ranges.push_back({one.tensor->offset, one.tensor->offset + one.tensor->bytes(),
                              [&one](base::ByteSpan bytes) { one.zeros.add(bytes); }});
        TRY(scan_file(*file_.opened, std::move(ranges), options_.progress));
        judge_records(records);
        judge_sums(digests.finish());
        judge_zeros(tensors);
        return {};
    }

private:
    Result<std::vector<RecordSum>> find_records() {
        std::vector<RecordSum> out;
        for (const Archive& archive : file_.archives) {
            TRY_ASSIGN(auto members, base::read_zip_directory(*file_.opened, archive.begin, archive.bytes));
            for (base::ZipMember& member : members) out.push_back({std::move(member), 0});
        }
        return out;
    }

    std::vector<TensorZeros> find_tensors() const {
        std::vector<TensorZeros> out;
        for (const IndexedTensor* tensor : file_.tensors) {
            if (!is_searched(*tensor)) continue;
            std::uint64_t rows = tensor->shape.size() == 1 ? 1 : tensor->bytes() / row_bytes(*tensor);
            out.push_back({tensor, ZeroBlocks(tensor->offset, tensor->bytes(), tensor->bytes() / rows)});
        }
        return out;
    }

    static std::uint64_t row_bytes(const IndexedTensor& tensor) {
        return tensor.shape.get().back() * bits(tensor.dtype) / 8;
    }

    void add_problem(std::string what) { file_.problems.push_back({file_.shown, std::move(what)}); }

    void judge_records(const std::vector<RecordSum>& records) {
        bool all_known = !records.empty();
        for (const auto& [member, sum] : records) {
            all_known &= member.crc32 != 0 || sum == 0;
            if (member.crc32 == 0 || sum == member.crc32) continue;
            add_problem(base::format("the record {} is damaged: its checksum is {:08x}, and {:08x} was stored with it",
                                     member.name, sum, member.crc32));
        }
        if (all_known && file_.problems.empty()) file_.proven_by = kOwnRecords;
    }

    void judge_sums(const std::vector<std::optional<std::string>>& misfits) {
        for (std::size_t i = misfits.size(); i-- > 0;) {
            const KnownSum& sum = file_.sums[i];
            if (!misfits[i]) {
                file_.proven_by = sum.record;
            } else if (!file_.weights && file_.modified > sum.written) {
                // A config or a tokenizer that somebody has adapted.
                file_.notes.push_back(
                    base::format("{} was changed after {} said what is in it", file_.shown, sum.record));
            } else {
                add_problem(*misfits[i] + "; fetch or convert the file again");
            }
        }
        if (!file_.problems.empty()) file_.proven_by.clear();
    }

    void judge_zeros(const std::vector<TensorZeros>& tensors) {
        bool has_matrix = false;
        for (const auto& [tensor, zeros] : tensors) {
            const std::string shown = base::format("{} in {}", tensor->name, file_.shown);
            has_matrix |= tensor->shape.size() > 1 && tensor->bytes() >= ZeroBlocks::kPageBytes;
            if (zeros.all_zero()) {
                file_.zero_tensors.insert(tensor->name);
            } else if (zeros.holes() > 0) {
                file_.problems.push_back(
                    {tensor->name,
                     base::format("{} zero bytes from byte {} of {} on are a hole, not weights: the file was not "
                                  "written whole; fetch or convert it again{}",
                                  zeros.first_hole_bytes(), zeros.first_hole(), file_.shown,
                                  zeros.holes() > 1 ? base::format(" ({} holes)", zeros.holes()) : "")});
            } else if (zeros.has_zero_rows() || zeros.is_regular()) {
                file_.zero_rows.insert(tensor->name);
            }
        }
        if (has_matrix && file_.zero_tensors.size() == file_.tensors.size())
            add_problem(
                base::format("all of its {} tensors are zero: nothing but its header was written; fetch or "
                             "convert the file again",
                             tensors.size()));
    }

    File& file_;
    const ContentOptions& options_;
};

std::string relative(const Path& path, const Path& root) {
    std::string prefix = root.ends_with('/') ? root : root + "/";
    return path.starts_with(prefix) ? path.substr(prefix.size()) : path;
}

// The files of the index by their real paths, with their tensors.
Result<Files> weight_files(base::FileSystem& fs, const Path& root, const TensorIndex& index) {
    Files out;
    std::vector<File*> by_number;
    for (const auto& opened : index.files) {
        by_number.push_back(nullptr);
        if (is_zeros(*opened)) continue;
        TRY_ASSIGN(Path real, fs.real_path(opened->path()));
        File& file = out[real];
        file.opened = opened;
        file.shown = relative(opened->path(), root);
        file.weights = true;
        by_number.back() = &file;
    }
    for (const IndexedTensor& tensor : index.tensors) {
        if (by_number[tensor.file] != nullptr) by_number[tensor.file]->tensors.push_back(&tensor);
    }
    return out;
}

Status add_known(base::FileSystem& fs, const Path& root, const KnownSums& known, Files& files) {
    auto real_root = fs.real_path(root);
    for (const auto& [real, sums] : known.files) {
        File& file = files[real];
        file.sums = sums;
        TRY_ASSIGN(auto info, fs.info(real));
        file.modified = info.modified;
        if (file.opened) continue;
        file.shown = relative(real, real_root ? *real_root : root);
        TRY_ASSIGN(file.opened, fs.open(real));
    }
    return {};
}

bool is_dist_file(const std::pair<const Path, File>& file) { return file.second.opened->path().ends_with(".distcp"); }

// What a checkpoint of torch.distributed.checkpoint has in its files: an archive for every item.
Status add_dist_items(base::FileSystem& fs, const Path& directory, Files& files) {
    TRY_ASSIGN(const DistMetadata metadata, read_dist_metadata(fs, directory, {}));
    std::unordered_map<std::string_view, File*> by_path;
    for (auto& [real, file] : files) by_path.emplace(file.opened->path(), &file);
    for (const DistItem& item : metadata.items) {
        const std::string& name = metadata.index.files[metadata.index.tensors[item.tensor].chunks[item.chunk].file];
        auto found = by_path.find(base::join(directory, name));
        if (found != by_path.end()) found->second->archives.push_back({item.offset, item.bytes});
    }
    return {};
}

Status add_archives(base::FileSystem& fs, const Path& directory, Files& files) {
    if (std::any_of(files.begin(), files.end(), is_dist_file)) return add_dist_items(fs, directory, files);
    for (auto& [real, file] : files) {
        char start[2] = {};
        if (!file.weights || file.opened->size() < sizeof(start)) continue;
        TRY(file.opened->read_at(0, std::as_writable_bytes(std::span(start))));
        if (start[0] == 'P' && start[1] == 'K') file.archives.push_back({0, file.opened->size()});
    }
    return {};
}

void count_proof(ContentFindings& out, const std::string& record) {
    auto found =
        std::find_if(out.proven.begin(), out.proven.end(), [&](const auto& one) { return one.first == record; });
    if (found != out.proven.end()) ++found->second;
    else out.proven.emplace_back(record, 1);
}

ContentFindings summarise(const Files& files, const KnownSums& known) {
    ContentFindings out;
    std::set<std::string> zero_tensors, zero_rows;
    out.files = files.size() + known.missing.size();
    for (const std::string& missing : known.missing)
        out.problems.push_back({missing, "the file is missing, although the manifest of the conversion lists it"});
    for (const auto& [real, file] : files) {
        if (!file.proven_by.empty()) count_proof(out, file.proven_by);
        else if (file.problems.empty() && file.notes.empty()) out.unproven.push_back(file.shown);
        out.problems.insert(out.problems.end(), file.problems.begin(), file.problems.end());
        out.notes.insert(out.notes.end(), file.notes.begin(), file.notes.end());
        zero_tensors.insert(file.zero_tensors.begin(), file.zero_tensors.end());
        zero_rows.insert(file.zero_rows.begin(), file.zero_rows.end());
    }
    std::sort(out.unproven.begin(), out.unproven.end());
    if (!zero_tensors.empty())
        out.notes.push_back(base::format("{} zero throughout: {}",
                                         base::plural(zero_tensors.size(), "tensor is", "tensors are"),
                                         base::listed({zero_tensors.begin(), zero_tensors.end()})));
    if (!zero_rows.empty())
        out.notes.push_back(base::format("whole rows or columns of zeros are in {}: {}",
                                         base::plural(zero_rows.size(), "tensor"),
                                         base::listed({zero_rows.begin(), zero_rows.end()})));
    return out;
}

}  // namespace

std::uint64_t ContentFindings::proven_files() const {
    std::uint64_t sum = 0;
    for (const auto& [record, count] : proven) sum += count;
    return sum;
}

Result<std::uint64_t> content_bytes(base::FileSystem& fs, const TensorIndex& index, const KnownSums& known) {
    std::map<Path, std::uint64_t> sizes;
    for (const auto& file : index.files) {
        if (is_zeros(*file)) continue;
        TRY_ASSIGN(Path real, fs.real_path(file->path()));
        sizes[real] = file->size();
    }
    for (const auto& [real, sums] : known.files) {
        TRY_ASSIGN(auto info, fs.info(real));
        sizes[real] = info.bytes;
    }
    std::uint64_t sum = 0;
    for (const auto& [real, bytes] : sizes) sum += bytes;
    return sum;
}

Result<ContentFindings> check_content(base::FileSystem& fs, const Path& root, const Path& directory,
                                      const TensorIndex& index, const KnownSums& known, const ContentOptions& options) {
    TRY_ASSIGN(Files files, weight_files(fs, root, index));
    TRY(add_known(fs, root, known, files));
    TRY(add_archives(fs, directory, files));
    std::vector<File*> jobs;
    for (auto& [real, file] : files) jobs.push_back(&file);
    TRY(base::parallel_for(jobs.size(), options.threads,
                           [&](std::size_t i) { return FileCheck(*jobs[i], options).run(); }));
    return summarise(files, known);
}

}  // namespace ckpt
