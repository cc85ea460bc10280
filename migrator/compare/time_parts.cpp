#include "migrator/compare/time_parts.h"

#include <algorithm>

namespace migrator {

TimePart TimeParts::side_by_side() const {
    TimePart rest = whole;
    for (const TimePart& part : parts) {
        rest.base -= part.base;
        rest.compared -= part.compared;
    }
    // Sums of floating-point numbers are not exact to the last digit.
    const auto settled = [](double rest_of, double all) { return rest_of < -1e-9 * all ? rest_of : 0.0; };
    return {"", settled(rest.base, whole.base), settled(rest.compared, whole.compared)};
}

std::vector<TimePart> TimeParts::losses() const {
    std::vector<TimePart> out = parts;
    std::erase_if(out, [](const TimePart& part) { return part.more() <= 0; });
    std::ranges::stable_sort(out, std::greater<>(), &TimePart::more);
    return out;
}

TimeParts time_parts(const Sheet& overall) {
    TimeParts out;
    std::size_t depth_of_parts = 1;
    for (const SheetRow& row : overall.rows) {
        const std::string name = text_in(row[0]);
        const std::size_t depth = name.find_first_not_of('\t');
        const TimePart part{name.substr(depth), number_in(row[1]), number_in(row[4])};
        if (depth == 0) depth_of_parts = name == "Uncovered Communication Time" ? 0 : 1;
        if (depth == 0 && name == "E2E Time") out.whole = part;
        else if (depth == depth_of_parts) out.parts.push_back(part);
    }
    return out;
}

std::string difference_line(const base::Language& say, const TimeParts& times) {
    const double more = times.whole.more();
    return more > 0 ? say.format("The new profile takes {:.3f} ms longer as a whole.", more)
                    : say.format("The new profile takes {:.3f} ms less as a whole.", -more);
}

}  // namespace migrator
