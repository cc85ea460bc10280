#include "base/git_names.h"

#include <algorithm>
#include <tuple>

namespace base {
namespace {

constexpr std::size_t kMaxNameBytes = 255;  // more has no name on a disk

bool is_dot_git(std::string_view name) {
    return name.size() == 4 && name[0] == '.' && (name[1] | 0x20) == 'g' && (name[2] | 0x20) == 'i' &&
           (name[3] | 0x20) == 't';
}

bool is_name(std::string_view name) {
    return !name.empty() && name.size() <= kMaxNameBytes && name != "." && name != ".." && !is_dot_git(name);
}

}  // namespace

std::uint32_t GitNames::add_node(std::uint32_t parent, std::string_view name, Kind kind) {
    Node node;
    node.parent = parent;
    node.name_at = static_cast<std::uint32_t>(texts_.size());
    node.name_bytes = static_cast<std::uint8_t>(name.size());
    node.kind = kind;
    texts_ += name;
    nodes_.push_back(node);
    return static_cast<std::uint32_t>(nodes_.size() - 1);
}

Status GitNames::add(std::string_view path, std::size_t shared, Kind kind, std::string_view object) {
    while (!open_.empty() && open_.back().end >= shared) open_.pop_back();
    std::size_t begin = open_.empty() ? 0 : open_.back().end + 1;
    for (;;) {
        const std::size_t slash = path.find('/', begin);
        const std::string_view part = path.substr(begin, slash - begin);
        if (!is_name(part)) return fail(ErrorKind::bad_input, "git's index has a path that leads out of the work tree");
        const std::uint32_t parent = open_.empty() ? kRoot : open_.back().node;
        if (slash == path.npos) {
            add_node(parent, part, kind);
            texts_ += object;
            return {};
        }
        open_.push_back({add_node(parent, part, Kind::directory), slash});
        begin = slash + 1;
    }
}

void GitNames::finish() {
    order_.resize(nodes_.size() - 1);
    for (std::size_t i = 0; i < order_.size(); ++i) order_[i] = static_cast<std::uint32_t>(i + 1);
    std::ranges::sort(order_, [&](std::uint32_t a, std::uint32_t b) {
        return std::tuple(nodes_[a].parent, name(nodes_[a]), a) < std::tuple(nodes_[b].parent, name(nodes_[b]), b);
    });
    open_ = {};
}

std::vector<std::uint32_t>::const_iterator GitNames::begin_of(std::uint32_t directory, std::string_view wanted) const {
    return std::ranges::lower_bound(order_, std::tuple(directory, wanted), {}, [&](std::uint32_t number) {
        return std::tuple(nodes_[number].parent, name(nodes_[number]));
    });
}

}  // namespace base
