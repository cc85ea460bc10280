// RankLinks: the links between ranks, and which of them are slow.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/rule_file.h"

namespace migrator {

struct LinkSpeed {
    std::string transport;
    double gb_s = 0, share = 0;
};
constexpr auto record_of(const LinkSpeed*) {
    return base::record("link_speed", "what a link has",
                        base::field("transport", &LinkSpeed::transport, "its kind").needed(),
                        base::field("gb_s", &LinkSpeed::gb_s, "of the hardware").needed(),
                        base::field("share", &LinkSpeed::share, "the part of it that is enough").needed());
}

struct LinkRules : base::RuleFileHead {
    double of_median = 0, least_mb = 0, large_mb = 0;
    std::uint64_t least_alike = 0;
    std::vector<LinkSpeed> transports;
};
constexpr auto record_of(const LinkRules*) {
    using L = LinkRules;
    return base::extended(
        base::record_for<base::RuleFileHead>(), "link_rules", "when links are slow",
        base::field("of_median", &L::of_median, "the part of the median of its kind that is enough").needed(),
        base::field("least_alike", &L::least_alike, "how many links of a kind tell its median").needed(),
        base::field("least_mb", &L::least_mb, "links that move less tell nothing: the time is that of the start")
            .needed(),
        base::field("large_mb", &L::large_mb, "transfers from this size on are held against the hardware").needed(),
        base::field("transports", &L::transports, "what the hardware gives").needed());
}

// A link that is slow, by what all steps say together.
struct SlowLink {
    std::string from, to;  // ranks; of one that is not there its number in the group
    std::string group, transport;
    double bandwidth = 0, usual = 0;       // GB/s; usual: the median of its kind, or what the hardware gives
    bool is_hardware = false;              // `usual` is that of the hardware, no links of its kind tell more
    bool is_sure = false;                  // slow in each of two measurements or more
    std::uint64_t measured = 0, slow = 0;  // steps and kinds of collectives, and those in which it is slow
};

// A rank all of whose links of a kind are slow, while those of others are not.
struct SlowPort {
    std::string rank, transport;
    std::size_t links = 0;
};

class RankLinks {
public:
    explicit RankLinks(LinkRules rules) : rules_(std::move(rules)) {}
    // What one rank says of its links. `is_wanted`: of a step, by its name.
    void add(const std::string& rank, const base::JsonDocument& matrix,
             const std::function<bool(const std::string&)>& is_wanted);

    struct Result {
        std::vector<SlowLink> links;  // slowest against its kind first
        std::vector<SlowPort> ports;
        std::size_t judged = 0;  // links of which it can be told
    };
    Result slow() const;

private:
    struct Measurement {
        std::string step, collective, group, transport, from, to;  // ranks by their number in the group
        double megabytes = 0, milliseconds = 0;
        double best_large = 0;  // GB/s of the fastest single transfer that is large; 0: none is

        double bandwidth() const { return megabytes / milliseconds; }
    };
    std::string global(const std::string& group, const std::string& rank) const;

    std::vector<Measurement> all_;
    std::map<std::pair<std::string, std::string>, std::string> ranks_;  // by group and number in it
    LinkRules rules_;
};

}  // namespace migrator
