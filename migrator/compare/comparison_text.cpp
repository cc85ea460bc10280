#include <algorithm>
#include <cmath>

#include "base/format.h"
#include "base/human.h"
#include "base/wrapped_text.h"
#include "migrator/compare/comparison.h"
#include "migrator/compare/time_parts.h"

namespace migrator {
namespace {

using base::Language;

constexpr std::size_t kMostShown = 10;
constexpr std::size_t kLabelWidth = 40;

// "1.42 x"; nothing where the base is 0.
std::string factor_text(double base, double compared) {
    return base == 0 ? std::string("-") : base::format("{:.2f} x", compared / base);
}

std::string line_of(const std::string& label, const std::string& a, const std::string& b, const std::string& difference,
                    const std::string& factor) {
    std::string out = label;
    const std::size_t width = base::columns_of(label);
    out.append(width < kLabelWidth ? kLabelWidth - width : 1, ' ');
    return out + base::format("{:>10} {:>10} {:>10} {:>9}\n", a, b, difference, factor);
}

std::string milliseconds_text(double value) { return base::format("{:.3f}", value); }

std::string table_text(const Language& say, const Sheet& overall) {
    std::string out =
        line_of(say.text("milliseconds"), say.text("base"), say.text("new"), say.text("more"), say.text("factor"));
    for (const SheetRow& row : overall.rows) {
        const std::string name = text_in(row[0]);
        const std::size_t depth = name.find_first_not_of('\t');
        const double a = number_in(row[1]), b = number_in(row[4]);
        out += line_of(std::string(2 * depth, ' ') + say.show("{}", say.text(name.substr(depth))), milliseconds_text(a),
                       milliseconds_text(b), base::format("{:+.3f}", b - a), factor_text(a, b));
    }
    return out;
}

std::string losses_text(const Language& say, const Sheet& overall) {
    const TimeParts times = time_parts(overall);
    const std::vector<TimePart> losses = times.losses();
    std::string out = difference_line(say, times) + "\n" + say.text("What takes more time:") + "\n";
    if (losses.empty()) return out + "  " + say.text("nothing") + "\n";
    for (std::size_t i = 0; i < std::min<std::size_t>(losses.size(), 5); ++i)
        out += base::format("  {:>12} ms  {}\n", base::format("{:+.3f}", losses[i].more()),
                            say.show("{}", say.text(losses[i].name)));
    return out;
}

std::string operators_text(const Language& say, const Sheet& statistic) {
    std::string out = say.text("Operators that cost most compared with the base, by their time on the device in ms:") +
                      "\n" +
                      base::format("{:>11} {:>10} {:>10} {:>9}\n", say.text("more"), say.text("base"), say.text("new"),
                                   say.text("factor"));
    std::size_t shown = 0;
    for (const SheetRow& row : statistic.rows) {
        if (number_in(row[6]) <= 0 || shown++ == kMostShown) break;
        const double a = number_in(row[2]), b = number_in(row[4]);
        out +=
            say.show("{}  {}\n", base::format("{:>+11.3f} {:>10.3f} {:>10.3f} {:>9}", b - a, a, b, factor_text(a, b)),
                     text_in(row[1]));
    }
    return shown == 0 ? std::string() : out + "\n";
}

// Below the names of the operators that lost most.
std::string causes_lines(const Language& say, const Sheet& causes) {
    std::string out;
    for (std::size_t i = 0; i < std::min<std::size_t>(causes.rows.size(), kMostShown); ++i) {
        const std::vector<base::Message> all = causes_of(causes.rows[i]);
        if (!all.empty()) out += base::format("  {}\n", text_in(causes.rows[i][1]));
        for (const base::Message& cause : all) out += say.show("    {}\n", say.said(cause.text()));
    }
    return out.empty() ? out : say.text("Why they do:") + "\n" + out + "\n";
}

std::string notes_text(const Language& say, const ProfileSide& side) {
    std::string out;
    for (const base::Message& note : side.metrics.notes) out += say.show("{}: {}\n", side.path, say.said(note.text()));
    return out;
}

}  // namespace

std::string side_line(const Language& say, const std::string& title, const ProfileSide& side) {
    const std::string kind = side.trace.kind == TraceKind::gpu ? "GPU" : "NPU";
    return say.show("{}: {}, {}, {}", title, kind, side.path, say.plural(side.trace.events, "event"));
}

std::string Comparison::text(const Language& say) const {
    std::string out =
        side_line(say, say.text("base"), *base) + "\n" + side_line(say, say.text("new"), *compared) + "\n\n";
    if (const Sheet* overall = named_sheet(sheets, "OverallMetrics"))
        out += table_text(say, *overall) + "\n" + losses_text(say, *overall) + "\n";
    if (const Sheet* statistic = named_sheet(sheets, "OperatorCompareStatistic"))
        out += operators_text(say, *statistic);
    if (const Sheet* causes = named_sheet(sheets, "OperatorCauses")) out += causes_lines(say, *causes);
    return out + notes_text(say, *base) + notes_text(say, *compared);
}

}  // namespace migrator
