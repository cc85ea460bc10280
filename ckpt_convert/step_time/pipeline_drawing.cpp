#include "ckpt_convert/step_time/pipeline_drawing.h"

#include <algorithm>
#include <array>

#include "base/format.h"
#include "base/text.h"

namespace ckpt {
namespace {

using Kind = PipelineTask::Kind;

constexpr std::array<char, 4> kLetters{'F', 'B', 'X', 'W'};
constexpr std::array<std::string_view, 4> kClasses{"forward", "backward", "pair", "weights"};
constexpr double kWidth = 900, kLeft = 60, kRow = 18, kBar = 14;

// What fills most of each of `width` parts of the step.
std::string line_of(const std::vector<PipelineTask>& tasks, double seconds, std::size_t width) {
    std::string out;
    const double part = seconds / static_cast<double>(width);
    std::size_t first = 0;
    for (std::size_t column = 0; column < width; ++column) {
        const double begin = part * static_cast<double>(column), end = begin + part;
        std::array<double, 4> busy{};
        while (first < tasks.size() && tasks[first].end <= begin) ++first;
        double left = part;
        for (std::size_t i = first; i < tasks.size() && tasks[i].begin < end; ++i) {
            const double share = std::max(0.0, std::min(end, tasks[i].end) - std::max(begin, tasks[i].begin));
            busy[static_cast<std::size_t>(tasks[i].kind)] += share;
            left -= share;
        }
        const auto most = std::max_element(busy.begin(), busy.end());
        out += left > *most ? '.' : kLetters[static_cast<std::size_t>(most - busy.begin())];
    }
    return out;
}

double idle_percent(const PipelineChart& chart, std::size_t rank) {
    return chart.seconds > 0 ? 100 * (1 - chart.busy(rank) / chart.seconds) : 0;
}

}  // namespace

std::string pipeline_text(const PipelineChart& chart, std::size_t width) {
    std::string out;
    for (std::size_t i = 0; i < chart.ranks.size(); ++i)
        out += base::format("  {:>3} {} {:>4.0f} %\n", i, line_of(chart.ranks[i], chart.seconds, width),
                            idle_percent(chart, i));
    return out;
}

std::string pipeline_svg(const PipelineChart& chart) {
    const double height = kRow * static_cast<double>(chart.ranks.size());
    std::vector<std::string> waiting;
    for (std::size_t i = 0; i < chart.ranks.size(); ++i)
        waiting.push_back(base::format("stage {} waits {:.0f} %", i, idle_percent(chart, i)));
    std::string out = base::format(
        "<svg class=\"pipeline\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"Stages over time: {}\">\n",
        kLeft + kWidth, height, base::joined(waiting, ", "));
    const double scale = chart.seconds > 0 ? kWidth / chart.seconds : 0;
    for (std::size_t i = 0; i < chart.ranks.size(); ++i) {
        const double top = kRow * static_cast<double>(i);
        out += base::format(
            "<text x=\"0\" y=\"{}\">{} · {:.0f} %</text><rect class=\"idle\" x=\"{}\" y=\"{}\" width=\"{}\" "
            "height=\"{}\"/>",
            top + kBar - 3, i, idle_percent(chart, i), kLeft, top, kWidth, kBar);
        for (const PipelineTask& task : chart.ranks[i])
            out += base::format("<rect class=\"{}\" x=\"{:.2f}\" y=\"{}\" width=\"{:.2f}\" height=\"{}\"/>",
                                kClasses[static_cast<std::size_t>(task.kind)], kLeft + task.begin * scale, top,
                                (task.end - task.begin) * scale, kBar);
        out += "\n";
    }
    return out + "</svg>\n";
}

}  // namespace ckpt
