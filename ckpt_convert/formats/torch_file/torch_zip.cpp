#include <charconv>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/format.h"
#include "base/zip_reader.h"
#include "ckpt_convert/base_names.h"
#include "ckpt_convert/formats/torch_file/torch_archive.h"
#include "ckpt_convert/formats/torch_file/torch_reader.h"
#include "ckpt_convert/formats/zip/crc32.h"

namespace ckpt {
namespace {

constexpr unsigned kOldestVersion = 1;
constexpr unsigned kNewestVersion = 10;
constexpr std::uint64_t kMaxSmallRecordBytes = 64;
constexpr std::string_view kStoragePrefix = "data/";

class ZipArchiveReader {
public:
    ZipArchiveReader(base::ReadableFile& file, std::uint64_t begin, const pickle::GlobalFilter& accept)
        : file_(file), begin_(begin), accept_(accept) {}

    Result<TorchArchive> read(std::uint64_t bytes) {
        TRY_ASSIGN(members_, base::read_zip_directory(file_, begin_, bytes));
        TRY(index_records());
        if (find("constants.pkl") != nullptr) {
            return base::fail(ErrorKind::unsupported,
                              "this is a TorchScript archive, a program with its weights; "
                              "load it with torch.jit.load and save its state_dict()",
                              file_.path());
        }
        TRY(check_version());
        TRY(check_byte_order());
        TorchArchive archive;
        TRY(read_pickle(archive));
        archive.storages.reserve(records_.size());
        for (const auto& [name, member] : records_) {
            if (!name.starts_with(kStoragePrefix)) continue;
            archive.storages.add(std::string(name.substr(kStoragePrefix.size())),
                                 {member->offset, member->bytes, std::nullopt});
        }
        TRY(archive.storages.check_references(*archive.arena, file_.path()));
        return archive;
    }

private:
    // All records stand in one folder, which the first one names. PyTorch looks in no other.
    Status index_records() {
        std::string_view first = members_.empty() ? std::string_view() : std::string_view(members_[0].name);
        std::size_t slash = first.find('/');
        if (slash == std::string_view::npos)
            return bad("a zip archive, but not one of torch.save: its first member is not in a folder");
        std::string_view prefix = first.substr(0, slash + 1);
        records_.reserve(members_.size());
        for (const base::ZipMember& member : members_) {
            std::string_view name = member.name;
            if (name.starts_with(prefix)) records_.emplace(name.substr(prefix.size()), &member);
        }
        if (find("data.pkl") == nullptr) {
            return bad(base::format("a zip archive, but not one of torch.save: it has no {}",
                                    quoted_name(std::string(prefix) + "data.pkl")));
        }
        return {};
    }

    const base::ZipMember* find(std::string_view name) const {
        auto found = records_.find(name);
        return found == records_.end() ? nullptr : found->second;
    }

    tl::unexpected<base::Error> bad(std::string message) const {
        return base::fail(ErrorKind::bad_input, std::move(message), file_.path());
    }

    Result<std::string> content(const base::ZipMember& member, std::uint64_t max_bytes) {
        if (member.bytes > max_bytes) {
            return bad(base::format("the record {} has {} bytes, the largest allowed is {}", quoted_name(member.name),
                                    member.bytes, max_bytes));
        }
        std::string out(member.bytes, '\0');
        TRY(file_.read_at(member.offset, std::as_writable_bytes(std::span(out))));
        // 0: PyTorch was told not to compute it.
        if (member.crc32 != 0 && crc32(base::as_bytes(out)) != member.crc32) {
            return bad(base::format("the record {} is damaged: its checksum is not that of the directory",
                                    quoted_name(member.name)));
        }
        return out;
    }

    Status check_version() {
        const base::ZipMember* member = find("version");
        if (member == nullptr) member = find(".data/version");
        if (member == nullptr)
            return bad("the record \"version\" is missing; this is not a complete file of torch.save");
        TRY_ASSIGN(std::string text, content(*member, kMaxSmallRecordBytes));
        while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) text.pop_back();
        unsigned version = 0;
        auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), version);
        if (problem != std::errc{} || end != text.data() + text.size())
            return bad(base::format("the format version {} is not a number", quoted_name(text)));
        if (version < kOldestVersion || version > kNewestVersion) {
            return base::fail(version < kOldestVersion ? ErrorKind::bad_input : ErrorKind::unsupported,
                              base::format("format version {} is not known; {} to {} are read", version, kOldestVersion,
                                           kNewestVersion),
                              file_.path());
        }
        return {};
    }

    Status check_byte_order() {
        const base::ZipMember* member = find("byteorder");
        if (member == nullptr) return {};  // before torch 2.1
        TRY_ASSIGN(std::string text, content(*member, kMaxSmallRecordBytes));
        if (text == "little") return {};
        if (text == "big")
            return base::fail(ErrorKind::unsupported, "the file was written on a big-endian machine", file_.path());
        return bad(base::format("the byte order {} is not known", quoted_name(text)));
    }

    Status read_pickle(TorchArchive& archive) {
        const base::ZipMember& member = *find("data.pkl");
        TRY_ASSIGN(std::string text, content(member, kMaxTorchPickleBytes));
        base::ByteReader reader(base::as_bytes(text), base::format("{} ({})", file_.path(), member.name),
                                member.offset);
        archive.arena = std::make_unique<pickle::Arena>();
        TRY_ASSIGN(archive.root, pickle::read(reader, *archive.arena, accept_));
        if (!reader.at_end())
            return reader.error(base::format("{} bytes follow the end of the pickle", reader.remaining()));
        return {};
    }

    base::ReadableFile& file_;
    std::uint64_t begin_;
    const pickle::GlobalFilter& accept_;
    std::vector<base::ZipMember> members_;
    std::unordered_map<std::string_view, const base::ZipMember*> records_;  // by name without the prefix
};

}  // namespace

Result<TorchArchive> read_torch_zip(base::ReadableFile& file, std::uint64_t begin, std::uint64_t bytes,
                                    const pickle::GlobalFilter& accept) {
    return ZipArchiveReader(file, begin, accept).read(bytes);
}

}  // namespace ckpt
