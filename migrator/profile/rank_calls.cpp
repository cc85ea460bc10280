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

}  // namespace

RankCalls rank_calls(const base::JsonDocument& communication, const ProfileNames& names) {
    RankCalls out;
    for (const auto& [step, kinds] : members(&communication.root)) {
        for (const auto& [kind, operators] : members(&kinds)) {
            for (const auto& [name, said] : members(&operators)) {
                const base::Json* times = said.find("Communication Time Info");
                const std::size_t at = name.find('@');
                if (times == nullptr || at == name.npos) continue;
                RankCall call{name.substr(0, at), name.substr(at + 1), transfer_kind(name, names)};
                call.begin = number_at(*times, "Start Timestamp(us)");
                call.length = number_at(*times, "Elapse Time(ms)") * 1e3;
                call.moving = std::clamp(number_at(*times, "Transit Time(ms)") * 1e3, 0.0, std::max(call.length, 0.0));
                if (call.begin > 0 && call.length >= 0 && call.begin < 1e18) out[step].push_back(std::move(call));
            }
        }
    }
    for (auto& [step, calls] : out) std::ranges::stable_sort(calls, {}, &RankCall::begin);
    return out;
}

std::vector<RankCall> transfers_of(const StageCalls& stage) {
    std::vector<RankCall> out;
    for (const RankCall& call : stage.calls) {
        if (call.transfer) out.push_back(call);
    }
    return out;
}

}  // namespace migrator
