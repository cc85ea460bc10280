#include "migrator/profile/rank_calls.h"

#include <algorithm>

#include "migrator/profile/json_values.h"

namespace migrator {
namespace {

std::optional<TransferKind> transfer_kind(const std::string& name, const ProfileNames& names) {
    const std::string lower = lower_case(name);
    if (names.exchange_operators.begins(lower)) return TransferKind::exchange;
    if (names.send_operators.begins(lower)) return TransferKind::send;
    if (names.receive_operators.begins(lower)) return TransferKind::receive;
    return std::nullopt;
}

// A collective: only its group and when it begins.
struct GroupCall {
    std::string group;
    double begin = 0;
};

std::optional<double> exchange_after(const std::vector<RankCall>& transfers, std::vector<GroupCall> collectives) {
    if (transfers.empty()) return std::nullopt;
    double last = 0;
    std::set<std::string> known;
    for (const RankCall& call : transfers) last = std::max(last, call.end());
    std::ranges::stable_sort(collectives, {}, &GroupCall::begin);
    for (const GroupCall& call : collectives) {
        if (call.begin < last) known.insert(call.group);
        else if (!known.contains(call.group)) return call.begin;
    }
    return std::nullopt;
}

}  // namespace

RankCalls rank_calls(const base::JsonDocument& communication, const ProfileNames& names) {
    RankCalls out;
    for (const auto& [step, kinds] : members(&communication.root)) {
        StepCalls calls;
        std::vector<GroupCall> collectives;
        for (const auto& [kind, operators] : members(&kinds)) {
            for (const auto& [name, said] : members(&operators)) {
                const base::Json* times = said.find("Communication Time Info");
                const std::size_t at = name.find('@');
                if (times == nullptr || at == name.npos) continue;
                const double begin = number_at(*times, "Start Timestamp(us)"),
                             length = number_at(*times, "Elapse Time(ms)") * 1e3;
                if (!(begin > 0 && begin < 1e18 && length >= 0 && length < 1e18)) continue;
                out.longest = std::max(out.longest, length);
                out.sum += length;
                const auto transfer = transfer_kind(name, names);
                if (!transfer) {
                    collectives.push_back({name.substr(at + 1), begin});
                    continue;
                }
                const double moving = std::clamp(number_at(*times, "Transit Time(ms)") * 1e3, 0.0, length);
                calls.transfers.push_back({name.substr(0, at), name.substr(at + 1), *transfer, begin, length, moving});
            }
        }
        std::ranges::stable_sort(calls.transfers, {}, &RankCall::begin);
        calls.exchange_after = exchange_after(calls.transfers, std::move(collectives));
        out.steps[step] = std::move(calls);
    }
    return out;
}

}  // namespace migrator
