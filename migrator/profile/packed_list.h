// PackedList: millions of rows of whole numbers in a fraction of their size.
//
//   rows 0..1023      block: for each member the least value and a unit, and for each row how many units it is above, in 0 to 8 bytes
//   rows 1024..2047   block
//   the last rows     as they are, until they fill a block
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

namespace migrator {

// `Members`: all that a row is made of, each a number or a bool. Rows are read by value, and do not change.
template <class Row, auto... Members>
class PackedList {
    template <auto Member>
    using ValueOf = std::remove_cvref_t<decltype(std::declval<Row>().*Member)>;

public:
    static constexpr std::size_t kRows = 1024;

    void push_back(const Row& row) {
        if (last_.empty()) last_.reserve(kRows);
        last_.push_back(row);
        if (last_.size() == kRows) pack();
    }
    std::size_t size() const { return blocks_.size() * kRows + last_.size(); }
    bool empty() const { return blocks_.empty() && last_.empty(); }
    void clear() { *this = {}; }

    Row operator[](std::size_t number) const {
        const std::size_t block = number / kRows, row = number % kRows;
        if (block == blocks_.size()) return last_[row];
        Row out;
        std::size_t field = 0;
        ((out.*Members = static_cast<ValueOf<Members>>(value_at(blocks_[block], field++, row))), ...);
        return out;
    }
    // One member of a row.
    template <auto Member>
    auto get(std::size_t number) const {
        const std::size_t block = number / kRows, row = number % kRows;
        if (block == blocks_.size()) return last_[row].*Member;
        return static_cast<ValueOf<Member>>(value_at(blocks_[block], field_of<Member>(), row));
    }
    // The first row whose member is not below `value`; the list is sorted by it.
    template <auto Member>
    std::size_t lower_bound(ValueOf<Member> value) const {
        std::size_t first = 0, count = size();
        while (count > 0) {
            const std::size_t half = count / 2;
            const bool is_below = get<Member>(first + half) < value;
            first = is_below ? first + half + 1 : first;
            count = is_below ? count - half - 1 : half;
        }
        return first;
    }

    class Iterator {
    public:
        using iterator_category = std::input_iterator_tag;
        using value_type = Row;
        using difference_type = std::ptrdiff_t;
        using pointer = void;
        using reference = Row;

        Iterator() = default;
        Iterator(const PackedList* list, std::size_t at) : list_(list), at_(at) {}
        Row operator*() const { return (*list_)[at_]; }
        Iterator& operator++() {
            ++at_;
            return *this;
        }
        Iterator operator++(int) { return std::exchange(*this, Iterator(list_, at_ + 1)); }
        bool operator==(const Iterator& other) const { return at_ == other.at_; }

    private:
        const PackedList* list_ = nullptr;
        std::size_t at_ = 0;
    };
    Iterator begin() const { return {this, 0}; }
    Iterator end() const { return {this, size()}; }

private:
    static constexpr std::size_t kFields = sizeof...(Members);
    static constexpr std::size_t kWord =
        sizeof(std::uint64_t);  // read as a whole, so that as much follows the last value

    struct Field {
        std::uint64_t least = 0, unit = 1, mask = 0;
        std::uint32_t begin = 0, width = 0;  // bytes
    };
    struct Block {
        std::array<Field, kFields> fields;
        std::unique_ptr<unsigned char[]> bytes;
    };

    template <auto One, auto Other>
    static constexpr bool is_same() {
        if constexpr (std::is_same_v<decltype(One), decltype(Other)>) return One == Other;
        return false;
    }
    template <auto Member>
    static constexpr std::size_t field_of() {
        std::size_t out = 0;
        bool is_found = false;
        ((is_found = is_found || is_same<Member, Members>(), out += is_found ? 0 : 1), ...);
        return out;
    }

    static std::uint64_t value_at(const Block& block, std::size_t number, std::size_t row) {
        const Field& field = block.fields[number];
        std::uint64_t units;
        std::memcpy(&units, block.bytes.get() + field.begin + row * field.width, kWord);
        return field.least + (units & field.mask) * field.unit;
    }

    // Differences wrap around, so that a member may have any two values.
    template <auto Member>
    Field measured(std::uint32_t begin) const {
        std::int64_t least = static_cast<std::int64_t>(last_[0].*Member), most = least;
        for (const Row& row : last_) {
            const auto value = static_cast<std::int64_t>(row.*Member);
            least = value < least ? value : least;
            most = value > most ? value : most;
        }
        Field out{.least = static_cast<std::uint64_t>(least), .begin = begin};
        std::uint64_t range = static_cast<std::uint64_t>(most) - out.least;
        constexpr std::uint64_t kWorthAUnit = 0xffff;
        if (range > kWorthAUnit) {
            std::uint64_t unit = 0;
            for (const Row& row : last_) {
                const std::uint64_t above = static_cast<std::uint64_t>(row.*Member) - out.least;
                if (unit == 0 || above % unit != 0) unit = std::gcd(unit, above);
            }
            out.unit = unit;
            range /= unit;
        }
        for (; range != 0; range >>= 8) {
            ++out.width;
            out.mask = out.mask << 8 | 0xff;
        }
        return out;
    }

    template <auto Member>
    void write(const Field& field, unsigned char* bytes) const {
        for (const Row& row : last_) {
            const std::uint64_t units = (static_cast<std::uint64_t>(row.*Member) - field.least) / field.unit;
            std::memcpy(bytes, &units, kWord);  // what is too much, the next value overwrites
            bytes += field.width;
        }
    }

    void pack() {
        static_assert(std::endian::native == std::endian::little);
        Block block;
        std::size_t number = 0;
        std::uint32_t begin = 0;
        const auto measure = [&](const Field& field) {
            block.fields[number++] = field;
            begin += field.width * static_cast<std::uint32_t>(kRows);
        };
        (measure(measured<Members>(begin)), ...);
        block.bytes = std::make_unique<unsigned char[]>(begin + kWord);
        number = 0;
        const auto write_next = [&](const auto& write_field) {
            const Field& field = block.fields[number++];
            write_field(field, block.bytes.get() + field.begin);
        };
        (write_next([&](const Field& field, unsigned char* bytes) { write<Members>(field, bytes); }), ...);
        blocks_.push_back(std::move(block));
        last_.clear();
    }

    std::vector<Block> blocks_;
    std::vector<Row> last_;
};

template <auto Member, class List>
bool is_sorted_by(const List& list) {
    for (std::size_t i = 1; i < list.size(); ++i) {
        if (list.template get<Member>(i) < list.template get<Member>(i - 1)) return false;
    }
    return true;
}

// In the order of a member; what is equal stays in its order.
template <auto Member, class List>
List sorted_by(List list) {
    if (is_sorted_by<Member>(list)) return list;
    using Value = std::remove_cvref_t<decltype((*list.begin()).*Member)>;
    std::vector<std::pair<Value, std::uint32_t>> order;
    order.reserve(list.size());
    for (std::uint32_t i = 0; i < list.size(); ++i) order.emplace_back(list.template get<Member>(i), i);
    std::sort(order.begin(), order.end());
    List out;
    for (const auto& [value, number] : order) out.push_back(list[number]);
    return out;
}

// Those that `is_kept` says yes to.
template <class List, class IsKept>
List kept_of(const List& list, const IsKept& is_kept) {
    List out;
    for (const auto& row : list) {
        if (is_kept(row)) out.push_back(row);
    }
    return out;
}

}  // namespace migrator
