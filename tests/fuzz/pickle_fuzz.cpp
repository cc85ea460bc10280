// Pickles: what is read stays within its budgets; what is written of it is read as the same values.
#include "ckpt_convert/formats/pickle/reader.h"
#include "ckpt_convert/formats/pickle/writer.h"
#include "tests/fuzz/support/fuzz.h"

namespace {

constexpr ckpt::pickle::Limits kLimits{
    .max_opcodes = 100'000, .max_values = 20'000, .max_memo = 5'000, .max_stack = 5'000};
// The values of a reader's own: None, True, False and ().
constexpr std::size_t kFixedValues = 4;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const ckpt::pickle::GlobalFilter any = [](std::string_view, std::string_view) { return true; };
    base::ByteReader reader(base::as_bytes(fuzz::text_of(data, size)), "input");
    ckpt::pickle::Arena arena;
    const auto root = ckpt::pickle::read(reader, arena, any, kLimits);
    fuzz::require(arena.size() <= kLimits.max_values + kFixedValues, "the budget of values holds");
    if (!root) return 0;
    const auto written = ckpt::pickle::try_write(*root);
    if (!written) return 0;
    base::ByteReader again(base::as_bytes(*written), "written");
    ckpt::pickle::Arena second;
    const auto same = ckpt::pickle::read(again, second, any);
    fuzz::require(same.has_value(), "what is written is read");
    fuzz::require(again.at_end(), "nothing is written behind the end");
    // A set, which protocol 2 has no opcode for, is a call from then on.
    const std::string called = ckpt::pickle::write(*same);
    base::ByteReader last(base::as_bytes(called), "written again");
    ckpt::pickle::Arena third;
    const auto settled = ckpt::pickle::read(last, third, any);
    fuzz::require(settled && ckpt::pickle::write(*settled) == called, "equal values are written alike");
    return 0;
}
