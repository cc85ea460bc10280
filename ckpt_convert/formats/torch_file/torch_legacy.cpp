#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/checked_math.h"
#include "base/format.h"
#include "ckpt_convert/base_names.h"
#include "ckpt_convert/formats/torch_file/torch_archive.h"
#include "ckpt_convert/formats/torch_file/torch_reader.h"

namespace ckpt {
namespace {

// 0x1950a86a20f9469cfc6c, little-endian.
constexpr std::string_view kMagic = "\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19";
constexpr std::int64_t kProtocolVersion = 1001;
constexpr std::uint64_t kCountBytes = 8;

// How much is fetched at first; most files' pickles fit.
constexpr std::uint64_t kFirstFetchBytes = 1u << 20;

// The pickles in front of the payload.
struct Head {
    std::unique_ptr<pickle::Arena> arena = std::make_unique<pickle::Arena>();
    pickle::Ref root = nullptr;
    const pickle::List* keys = nullptr;
    std::uint64_t bytes = 0;
};

class LegacyReader {
public:
    LegacyReader(base::ReadableFile& file, std::uint64_t begin, std::uint64_t bytes, const pickle::GlobalFilter& accept)
        : file_(file), begin_(begin), end_(begin + bytes), accept_(accept) {}

    Result<TorchArchive> read() {
        TRY_ASSIGN(Head head, read_head());
        TorchArchive archive;
        TRY(locate_storages(head, archive.storages));
        TRY(archive.storages.check_references(*head.arena, file_.path()));
        archive.arena = std::move(head.arena);
        archive.root = head.root;
        return archive;
    }

private:
    // Nothing says how long the pickles are, and the payload behind them may be large: fetch more until they fit.
    Result<Head> read_head() {
        std::uint64_t most = std::min(end_ - begin_, kMaxTorchPickleBytes);
        for (std::uint64_t count = std::min(most, kFirstFetchBytes);; count = std::min(most, count * 4)) {
            std::string text(count, '\0');
            TRY(file_.read_at(begin_, std::as_writable_bytes(std::span(text))));
            Result<Head> head = parse_head(text);
            if (head || head.error().kind != ErrorKind::bad_input || count == most) return head;
        }
    }

    Result<Head> parse_head(std::string_view text) {
        base::ByteReader reader(base::as_bytes(text), file_.path(), begin_);
        Head head;
        auto nothing = [](std::string_view, std::string_view) { return false; };
        TRY_ASSIGN(pickle::Ref magic, pickle::read(reader, *head.arena, nothing));
        const auto* number = magic->as<pickle::BigInteger>();
        if (number == nullptr || number->little_endian != kMagic)
            return unsupported("a pickle, but not one of torch.save");
        TRY_ASSIGN(pickle::Ref version, pickle::read(reader, *head.arena, nothing));
        const auto* protocol = version->as<std::int64_t>();
        if (protocol == nullptr || *protocol != kProtocolVersion)
            return unsupported("this version of the format before torch 1.6 is not known");
        TRY_ASSIGN(pickle::Ref system, pickle::read(reader, *head.arena, nothing));
        pickle::Ref little = pickle::find(system, "little_endian");
        const bool* is_little = little != nullptr ? little->as<bool>() : nullptr;
        if (is_little == nullptr) return reader.error("the file does not say whether it is little-endian");
        if (!*is_little) return unsupported("the file was written on a big-endian machine");
        TRY_ASSIGN(head.root, pickle::read(reader, *head.arena, accept_));
        TRY_ASSIGN(pickle::Ref keys, pickle::read(reader, *head.arena, nothing));
        head.keys = keys->as<pickle::List>();
        if (head.keys == nullptr) return reader.error("the list of storages is not a list");
        head.bytes = reader.position();
        return head;
    }

    // The storages follow each other in the order of the keys; their element sizes are those of the references to them.
    Status locate_storages(const Head& head, StorageTable& storages) {
        TRY_ASSIGN(auto element_bytes, collect_element_bytes(*head.arena));
        std::uint64_t at = begin_ + head.bytes;
        for (pickle::Ref item : head.keys->items) {
            const std::string* key = item->as<std::string>();
            auto known = key != nullptr ? element_bytes.find(*key) : element_bytes.end();
            if (known == element_bytes.end()) return bad(at, "a storage is listed that nothing refers to");
            if (end_ - at < kCountBytes)
                return bad(at, base::format("the storage {} is missing; was the file cut off?", quoted_name(*key)));
            std::byte count_bytes[kCountBytes];
            TRY(file_.read_at(at, count_bytes));
            TRY_ASSIGN(std::uint64_t elements, base::ByteReader(count_bytes, file_.path(), at).u64());
            at += kCountBytes;
            auto bytes = base::checked_mul(elements, known->second);
            if (!bytes || *bytes > end_ - at) {
                return bad(at, base::format("the storage {} of {} elements does not fit into the file; was it cut off?",
                                            quoted_name(*key), elements));
            }
            if (!storages.add(*key, {at, *bytes, std::nullopt}))
                return bad(at, base::format("the storage {} is listed twice", quoted_name(*key)));
            at += *bytes;
        }
        if (at != end_) return bad(at, base::format("{} bytes follow the last storage", end_ - at));
        return {};
    }

    Result<std::unordered_map<std::string_view, std::uint64_t>> collect_element_bytes(const pickle::Arena& arena) {
        std::unordered_map<std::string_view, std::uint64_t> out;
        for (const pickle::Value& value : arena) {
            const auto* persistent = value.as<pickle::PersistentId>();
            if (persistent == nullptr) continue;
            TRY_ASSIGN(StorageReference reference, parse_storage_reference(*persistent, file_.path()));
            out.emplace(reference.key, reference.element_bytes());
        }
        return out;
    }

    tl::unexpected<base::Error> bad(std::uint64_t offset, std::string message) const {
        return base::fail(ErrorKind::bad_input, std::move(message), base::format("{}: byte {}", file_.path(), offset));
    }
    tl::unexpected<base::Error> unsupported(std::string message) const {
        return base::fail(ErrorKind::unsupported, std::move(message), file_.path());
    }

    base::ReadableFile& file_;
    std::uint64_t begin_;
    std::uint64_t end_;
    const pickle::GlobalFilter& accept_;
};

}  // namespace

Result<TorchArchive> read_torch_legacy(base::ReadableFile& file, std::uint64_t begin, std::uint64_t bytes,
                                       const pickle::GlobalFilter& accept) {
    return LegacyReader(file, begin, bytes, accept).read();
}

}  // namespace ckpt
