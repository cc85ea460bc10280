// GitIndex::parse: the bytes of an index into names.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/git_index.h"
#include "base/human.h"
#include "base/sha1.h"
#include "base/sha256.h"

namespace base {
namespace {

constexpr std::string_view kSignature = "DIRC";
constexpr std::size_t kStatBytes = 40;
constexpr std::size_t kModeAt = 24;  // in them
constexpr std::size_t kAlignment = 8;
constexpr std::size_t kMaxPathBytes = 4096;  // as the system takes them
constexpr std::uint32_t kExtended = 0x4000, kNameBytes = 0x0FFF;

using Kind = GitNames::Kind;

tl::unexpected<Error> damaged() { return fail(ErrorKind::bad_input, "git's index is damaged"); }

std::uint32_t number(std::string_view bytes) {
    std::uint32_t out = 0;
    for (const char byte : bytes) out = out << 8 | static_cast<unsigned char>(byte);
    return out;
}

// What is named in front of each path, and of the whole: bytes of a file that may end early.
class Bytes {
public:
    Bytes() = default;
    explicit Bytes(std::string_view all) : all_(all) {}

    std::size_t position() const { return at_; }
    bool at_end() const { return at_ == all_.size(); }

    Result<std::string_view> take(std::size_t count) {
        if (count > all_.size() - at_) return damaged();
        at_ += count;
        return all_.substr(at_ - count, count);
    }
    Result<std::uint32_t> take_number(std::size_t bytes) {
        TRY_ASSIGN(const std::string_view taken, take(bytes));
        return number(taken);
    }
    // Up to the NUL, which is taken too.
    Result<std::string_view> take_text() {
        const std::size_t end = all_.find('\0', at_);
        if (end == all_.npos) return damaged();
        TRY_ASSIGN(const std::string_view taken, take(end + 1 - at_));
        return taken.substr(0, taken.size() - 1);
    }
    // As git writes numbers of any size: seven bits at a time, the highest first, each further byte after one more.
    Result<std::size_t> take_count() {
        std::size_t out = 0;
        for (bool first = true;; first = false) {
            TRY_ASSIGN(const std::uint32_t byte, take_number(1));
            out = ((first ? 0 : out + 1) << 7) + (byte & 0x7F);
            if ((byte & 0x80) == 0) return out;
            if (out > kMaxPathBytes) return damaged();
        }
    }

private:
    std::string_view all_;
    std::size_t at_ = 0;
};

// Of a split index.
struct Link {
    std::string_view hash;  // of the shared one; empty: there is none
    Bytes changes;          // its entries that are gone, and those that are replaced
};

// One file, entry by entry.
class IndexFile {
public:
    static Result<IndexFile> open(std::string_view bytes, GitHash hash) {
        IndexFile out;
        out.hash_bytes_ = hash == GitHash::sha1 ? 20 : 32;
        if (!bytes.starts_with(kSignature) || bytes.size() < kSignature.size() + 8 + out.hash_bytes_)
            return fail(ErrorKind::bad_input, "this is not an index of git");
        const std::string_view content = bytes.substr(0, bytes.size() - out.hash_bytes_);
        out.sum_ = bytes.substr(content.size());
        if (!out.is_sum_of(content, hash)) return fail(ErrorKind::bad_input, "the checksum of git's index is wrong");
        out.bytes_ = Bytes(content);
        TRY(out.bytes_.take(kSignature.size()));
        TRY_ASSIGN(out.version_, out.bytes_.take_number(4));
        TRY_ASSIGN(out.count_, out.bytes_.take_number(4));
        if (out.version_ < 2 || out.version_ > 4)
            return fail(ErrorKind::bad_input, "git's index has a version that is not known");
        return out;
    }

    std::uint32_t count() const { return count_; }
    std::string_view sum() const { return sum_; }
    const std::string& path() const { return path_; }
    std::size_t shared() const { return shared_; }  // bytes of the path that it has in common with the one before
    bool is_again() const { return is_again_; }     // the path of the entry before, in another stage of a conflict
    std::string_view object() const { return object_; }

    // The next entry.
    Status next() {
        const std::size_t begin = bytes_.position();
        TRY_ASSIGN(const std::string_view stat, bytes_.take(kStatBytes));
        mode_ = number(stat.substr(kModeAt, 4));
        TRY_ASSIGN(object_, bytes_.take(hash_bytes_));
        TRY_ASSIGN(const std::uint32_t flags, bytes_.take_number(2));
        if ((flags & kExtended) != 0) TRY(bytes_.take(2));
        std::size_t kept = 0;
        std::string_view rest;
        if (version_ == 4) {
            TRY_ASSIGN(const std::size_t left_away, bytes_.take_count());
            if (left_away > path_.size()) return damaged();
            kept = path_.size() - left_away;
            TRY_ASSIGN(rest, bytes_.take_text());
        } else {
            TRY_ASSIGN(rest, bytes_.take_text());
            if (rest.size() < kNameBytes && rest.size() != (flags & kNameBytes)) return damaged();
            const std::size_t over = (bytes_.position() - begin) % kAlignment;
            TRY(bytes_.take(over == 0 ? 0 : kAlignment - over));
        }
        return take_path(kept, rest, flags >> 12 & 3);
    }

    // After the last entry.
    Result<Link> extensions() {
        Link link;
        bool knows_directories = false;
        while (!bytes_.at_end()) {
            TRY_ASSIGN(const std::string_view name, bytes_.take(4));
            TRY_ASSIGN(const std::uint32_t size, bytes_.take_number(4));
            TRY_ASSIGN(const std::string_view content, bytes_.take(size));
            if (name == "link") {
                link.changes = Bytes(content);
                TRY_ASSIGN(link.hash, link.changes.take(hash_bytes_));
            } else if (name == "sdir") {
                knows_directories = true;
            } else if (name[0] < 'A' || name[0] > 'Z') {
                return fail(ErrorKind::bad_input, "git's index has a part that is not known and cannot be left away");
            }
        }
        if (has_directories_ && !knows_directories) return damaged();
        if (is_zero(link.hash)) link.hash = {};
        return link;
    }

    // What the entry stands for.
    Result<Kind> kind() {
        switch (mode_ >> 12) {
            case 010:
            case 012: return Kind::file;
            case 016: return Kind::submodule;
            case 004: {
                has_directories_ = true;
                if (path_.ends_with('/')) return Kind::whole_directory;
                break;
            }
            default: break;
        }
        return damaged();
    }

private:
    static bool is_zero(std::string_view bytes) { return bytes.find_first_not_of('\0') == bytes.npos; }

    bool is_sum_of(std::string_view content, GitHash hash) const {
        if (is_zero(sum_)) return true;
        const auto fits = [&](const auto& digest) {
            return std::ranges::equal(digest, sum_, {}, {}, [](char c) { return static_cast<std::uint8_t>(c); });
        };
        if (hash == GitHash::sha256) return fits(sha256(content));
        Sha1 sha1;
        sha1.add(content);
        return fits(sha1.finish());
    }

    // Paths rise, and stages of one path; the cost is that of the bytes that are new.
    Status take_path(std::size_t kept, std::string_view rest, std::uint32_t stage) {
        const std::string_view before = std::string_view(path_).substr(kept);
        const auto differ = std::ranges::mismatch(before, rest);
        const bool ends_before = differ.in1 == before.end(), ends = differ.in2 == rest.end();
        const bool is_unnamed = path_.empty() && rest.empty();
        is_again_ = ends_before && ends && !is_unnamed;
        if (kept + rest.size() > kMaxPathBytes) return damaged();
        const bool rises =
            ends_before || (!ends && static_cast<unsigned char>(*differ.in1) < static_cast<unsigned char>(*differ.in2));
        if (!rises || (is_again_ && (stage_ == 0 || stage <= stage_))) return damaged();
        shared_ = kept + static_cast<std::size_t>(differ.in1 - before.begin());
        path_.resize(kept);
        path_ += rest;
        stage_ = stage;
        return {};
    }

    Bytes bytes_;
    std::size_t hash_bytes_ = 20;
    std::string_view sum_;
    std::uint32_t version_ = 0, count_ = 0;
    std::string path_;
    std::size_t shared_ = 0;
    std::uint32_t mode_ = 0, stage_ = 0;
    std::string_view object_;
    bool is_again_ = false;
    bool has_directories_ = false;
};

// Bits in runs, as git compresses them (EWAH): the positions below `count` that are set.
Result<std::vector<bool>> take_bits(Bytes& bytes, std::uint32_t count) {
    std::vector<bool> out(count);
    TRY(bytes.take(4));
    TRY_ASSIGN(const std::uint32_t words, bytes.take_number(4));
    std::uint64_t at = 0;
    const auto take_word = [&]() -> Result<std::uint64_t> {
        TRY_ASSIGN(const std::uint32_t high, bytes.take_number(4));
        TRY_ASSIGN(const std::uint32_t low, bytes.take_number(4));
        return std::uint64_t{high} << 32 | low;
    };
    for (std::uint32_t word = 0; word < words; ++word) {
        TRY_ASSIGN(const std::uint64_t marker, take_word());
        const std::uint64_t run = (marker >> 1 & 0xFFFFFFFF) * 64;
        if ((marker & 1) != 0 && run > 0) {
            if (at > count || run > count - at) return damaged();
            std::fill_n(out.begin() + static_cast<std::ptrdiff_t>(at), run, true);
        }
        at += run;
        for (std::uint64_t literal = marker >> 33; literal > 0; --literal, ++word, at += 64) {
            if (word + 1 >= words) return damaged();
            TRY_ASSIGN(std::uint64_t bits, take_word());
            for (; bits != 0; bits &= bits - 1) {
                const std::uint64_t bit = at + static_cast<std::uint64_t>(__builtin_ctzll(bits));
                if (bit >= count) return damaged();
                out[bit] = true;
            }
        }
    }
    TRY(bytes.take(4));
    return out;
}

// Entries of a file into names, some of them left away.
class NamesOfFile {
public:
    explicit NamesOfFile(GitNames& names) : names_(names) {}

    void leave_away(const IndexFile& file) {
        shared_ = std::min(shared_, file.shared());
        is_there_ = is_there_ && file.is_again();
    }
    Status add(const IndexFile& file, Kind kind, std::string_view object) {
        if (file.is_again() && is_there_) return {};
        std::string_view path = file.path();
        if (kind == Kind::whole_directory) path.remove_suffix(1);
        TRY(names_.add(path, std::min(shared_, file.shared()), kind, object));
        shared_ = kMaxPathBytes;
        is_there_ = true;
        return {};
    }

private:
    GitNames& names_;
    std::size_t shared_ = kMaxPathBytes;  // with the path that was added last
    bool is_there_ = false;
};

struct Replaced {
    Kind kind;
    std::string_view object;
};

Status add_shared(GitNames& names, std::string_view bytes, GitHash hash, Link link, std::vector<Replaced> replaced) {
    TRY_ASSIGN(IndexFile file, IndexFile::open(bytes, hash));
    if (file.sum() != link.hash) return fail(ErrorKind::bad_input, "git's shared index is another one");
    std::vector<bool> gone(file.count()), changed(file.count());
    if (!link.changes.at_end()) {
        TRY_ASSIGN(gone, take_bits(link.changes, file.count()));
        TRY_ASSIGN(changed, take_bits(link.changes, file.count()));
    }
    NamesOfFile out(names);
    std::size_t next_replaced = 0;
    for (std::uint32_t i = 0; i < file.count(); ++i) {
        TRY(file.next());
        TRY_ASSIGN(const Kind kind, file.kind());
        Replaced entry{kind, file.object()};
        if (changed[i]) {
            if (next_replaced == replaced.size()) return damaged();
            entry = replaced[next_replaced++];
        }
        if ((entry.kind == Kind::whole_directory) != file.path().ends_with('/')) return damaged();
        if (gone[i]) out.leave_away(file);
        else TRY(out.add(file, entry.kind, entry.object));
    }
    if (next_replaced != replaced.size()) return damaged();
    TRY_ASSIGN(const Link further, file.extensions());
    if (!further.hash.empty()) return damaged();
    return {};
}

}  // namespace

Result<GitIndex> GitIndex::parse(std::string_view index, GitHash hash,
                                 const std::function<Result<std::string>(const std::string& hash)>& shared) {
    GitIndex out;
    out.object_bytes_ = hash == GitHash::sha1 ? 20 : 32;
    TRY_ASSIGN(IndexFile file, IndexFile::open(index, hash));
    NamesOfFile names(out.layers_[0]);
    std::vector<Replaced> replaced;
    for (std::uint32_t i = 0; i < file.count(); ++i) {
        TRY(file.next());
        if (file.path().empty()) {
            TRY_ASSIGN(const Kind kind, file.kind());
            replaced.push_back({kind, file.object()});
            continue;
        }
        TRY_ASSIGN(const Kind kind, file.kind());
        TRY(names.add(file, kind, file.object()));
    }
    TRY_ASSIGN(const Link link, file.extensions());
    if (link.hash.empty() && !replaced.empty()) return damaged();
    if (!link.hash.empty()) {
        TRY_ASSIGN(const std::string bytes, shared(hexadecimal(link.hash)));
        TRY(add_shared(out.layers_[1], bytes, hash, link, std::move(replaced)));
    }
    for (GitNames& layer : out.layers_) layer.finish();
    return out;
}

}  // namespace base
