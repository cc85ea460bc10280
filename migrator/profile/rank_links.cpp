#include "migrator/profile/rank_links.h"

#include <algorithm>
#include <tuple>

#include "base/format.h"
#include "migrator/profile/json_values.h"

namespace migrator {
namespace {

constexpr double kMegabyteClasses[] = {1, 16, 256};
constexpr std::string_view kLocal = "LOCAL", kTotal = "-total";

std::size_t size_class(double megabytes) {
    return static_cast<std::size_t>(std::ranges::upper_bound(kMegabyteClasses, megabytes) -
                                    std::begin(kMegabyteClasses));
}

double median_of(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

// "allreduce" and "7" of "allreduce-top1@7".
struct CollectiveName {
    explicit CollectiveName(const std::string& text) {
        const std::size_t at = std::min(text.find('@'), text.size());
        const std::string_view front = std::string_view(text).substr(0, at);
        const std::size_t dash = std::min(front.rfind('-'), front.size());
        kind = front.substr(0, dash);
        is_total = front.substr(dash) == kTotal;
        group = at == text.size() ? text : text.substr(at + 1);
    }
    std::string kind, group;
    bool is_total = false;
};

}  // namespace

void RankLinks::add(const std::string& rank, const base::JsonDocument& matrix,
                    const std::function<bool(const std::string&)>& is_wanted) {
    for (const auto& [step, kinds] : members(&matrix.root)) {
        if (!is_wanted(step)) continue;
        for (const auto& [kind, operators] : members(&kinds)) {
            // By group, collective, pair and transport: the sum of all, and of releases that do not write it, of those they write.
            std::map<std::tuple<std::string, std::string, std::string, std::string>, Measurement> sums, singles;
            for (const auto& [name, pairs] : members(&operators)) {
                const CollectiveName collective(name);
                for (const auto& [pair, said] : members(&pairs)) {
                    const std::size_t dash = pair.find('-');
                    const base::Json* transport = said.find("Transport Type");
                    if (dash == pair.npos || transport == nullptr || transport->string() == nullptr) continue;
                    const std::string from = pair.substr(0, dash), to = pair.substr(dash + 1);
                    if (from == to && *transport->string() == kLocal) ranks_[{collective.group, from}] = rank;
                    const double megabytes = number_at(said, "Transit Size(MB)"),
                                 milliseconds = number_at(said, "Transit Time(ms)");
                    if (from == to || !(megabytes > 0) || !(milliseconds > 0)) continue;
                    const auto key = std::tuple(collective.group, collective.kind, pair, *transport->string());
                    Measurement& sum = (collective.is_total ? sums : singles)[key];
                    sum.step = step;
                    std::tie(sum.collective, sum.group, sum.transport) =
                        std::tuple(collective.kind, collective.group, *transport->string());
                    sum.from = from;
                    sum.to = to;
                    sum.megabytes += megabytes;
                    sum.milliseconds += milliseconds;
                    if (megabytes >= rules_.large_mb)
                        sum.best_large = std::max(sum.best_large, megabytes / milliseconds);
                }
            }
            for (auto& [key, single] : singles) {
                const auto found = sums.find(key);
                if (found == sums.end() && single.megabytes >= rules_.least_mb) all_.push_back(std::move(single));
                else if (found != sums.end()) found->second.best_large = single.best_large;
            }
            for (auto& [key, sum] : sums) {
                if (sum.megabytes >= rules_.least_mb) all_.push_back(std::move(sum));
            }
        }
    }
}

std::string RankLinks::global(const std::string& group, const std::string& rank) const {
    const auto found = ranks_.find({group, rank});
    return found == ranks_.end() ? base::format("{}@{}", rank, group) : found->second;
}

RankLinks::Result RankLinks::slow() const {
    // Alike are links of one transport that move about as much for one kind of collective: in their group, and where that has too few, in
    // all groups.
    using Kind = std::tuple<std::string, std::string, std::size_t, std::string>;
    std::map<Kind, std::vector<double>> alike;
    const auto kind_of = [](const Measurement& item, const std::string& group) {
        return Kind{item.transport, item.collective, size_class(item.megabytes), group};
    };
    for (const Measurement& item : all_) {
        alike[kind_of(item, item.group)].push_back(item.bandwidth());
        alike[kind_of(item, {})].push_back(item.bandwidth());
    }
    std::map<Kind, double> medians;
    for (const auto& [kind, bandwidths] : alike) {
        if (bandwidths.size() >= rules_.least_alike) medians[kind] = median_of(bandwidths);
    }
    std::map<std::tuple<std::string, std::string, std::string>, SlowLink> links;  // by ranks and transport
    for (const Measurement& item : all_) {
        const std::string from = global(item.group, item.from), to = global(item.group, item.to);
        auto usual = medians.find(kind_of(item, item.group));
        if (usual == medians.end()) usual = medians.find(kind_of(item, {}));
        const auto speed = std::ranges::find(rules_.transports, item.transport, &LinkSpeed::transport);
        const bool is_of_kind = usual != medians.end() && item.bandwidth() < rules_.of_median * usual->second;
        const bool is_of_hardware =
            speed != rules_.transports.end() && item.best_large > 0 && item.best_large < speed->share * speed->gb_s;
        if (usual == medians.end() && (speed == rules_.transports.end() || item.best_large == 0)) continue;
        SlowLink& link = links[{from, to, item.transport}];
        ++link.measured;
        if (!is_of_kind && !is_of_hardware) continue;
        const double bandwidth = is_of_kind ? item.bandwidth() : item.best_large;
        if (link.slow++ == 0 || bandwidth < link.bandwidth) {
            link = {
                from,        to,    item.group,    item.transport, bandwidth, is_of_kind ? usual->second : speed->gb_s,
                !is_of_kind, false, link.measured, link.slow};
        }
    }
    Result out;
    out.judged = links.size();
    std::map<std::pair<std::string, std::string>, std::pair<std::size_t, std::size_t>> ports;  // links and slow ones
    for (auto& [key, link] : links) {
        const bool is_slow = 2 * link.slow > link.measured;
        const auto& [from, to, transport] = key;
        for (const std::string& rank : {from, to}) {
            auto& [all, slow] = ports[{rank, transport}];
            ++all;
            slow += is_slow ? 1 : 0;
        }
        if (!is_slow) continue;
        const auto back = links.find({to, from, transport});
        const bool is_slow_back = back != links.end() && 2 * back->second.slow > back->second.measured;
        link.is_sure = !link.is_hardware && ((link.measured > 1 && link.slow == link.measured) || is_slow_back);
        out.links.push_back(link);
    }
    std::ranges::stable_sort(out.links, {}, [](const SlowLink& link) { return link.bandwidth / link.usual; });
    std::size_t not_slow = 0;
    for (const auto& [port, number] : ports) not_slow += number.second < number.first ? 1 : 0;
    for (const auto& [port, number] : ports) {
        if (number.first > 1 && number.second == number.first && not_slow > 1)
            out.ports.push_back({port.first, port.second, number.first});
    }
    return out;
}

}  // namespace migrator
