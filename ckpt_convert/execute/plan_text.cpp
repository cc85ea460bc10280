#include "ckpt_convert/execute/plan_text.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/human.h"
#include "base/printable.h"
#include "ckpt_convert/plan/target_contents.h"

namespace ckpt {
namespace {

// A box of a logical tensor at its place in a target.
struct PlacedPiece {
    const LogicalMove* move = nullptr;
    const StoredPiece* piece = nullptr;
};

// "[0:24]", "[:, 16:32]"; nothing when the box is the whole tensor.
std::string box_text(const PlacedPiece& placed) {
    const auto& [move, piece] = placed;
    std::vector<std::string> axes;
    for (std::size_t i = 0; i < move->shape.size(); ++i) {
        bool whole = piece->extent[i] == move->shape[i];
        axes.push_back(whole ? ":"
                             : base::format("{}:{}", piece->in_logical[i], piece->in_logical[i] + piece->extent[i]));
    }
    while (!axes.empty() && axes.back() == ":") axes.pop_back();
    return axes.empty() ? "" : "[" + base::joined(axes, ", ") + "]";
}

const char* fill_name(VocabFill fill) { return fill == VocabFill::mean ? "the mean row" : "zero"; }

std::string content_text(const ConversionPlan& plan, const TargetContents& contents, std::uint32_t target) {
    std::vector<PlacedPiece> pieces;
    for (const auto [move, piece] : contents.parts(target))
        pieces.push_back({&plan.moves[move], &plan.moves[move].targets[piece]});
    std::sort(pieces.begin(), pieces.end(), [](const PlacedPiece& a, const PlacedPiece& b) {
        return a.piece->in_stored.get() < b.piece->in_stored.get();
    });
    std::vector<std::string> parts;
    for (const PlacedPiece& placed : pieces) {
        float plus = placed.move->plus;
        std::string sum = plus == 0 ? "" : base::format(" {} {}", plus < 0 ? "-" : "+", std::abs(plus));
        parts.push_back(placed.move->title() + box_text(placed) + sum);
    }
    for (const std::uint32_t number : contents.fills(target)) {
        const FilledRows& fill = plan.fills[number];
        parts.push_back(base::format("{} rows of {}", fill.rows, fill_name(fill.fill)));
    }
    return base::joined(parts, ", ");
}

// How many targets have elements in each share of a vector.
std::vector<std::size_t> tensors_in_shares(const ConversionPlan& plan, const OutputPlan& output) {
    std::vector<std::size_t> out(output.shares.size(), 0);
    for (const TargetTensor& target : plan.targets) {
        const std::uint64_t elements = target.flat.vector ? *checked_elements(target.shape) : 0;
        (void)each_run(target.flat, elements, 0, elements, [&](const FlatRun& run, std::uint64_t) -> Status {
            ++out[run.file];
            return {};
        });
    }
    return out;
}

}  // namespace

void describe_files(const ConversionPlan& plan, const OutputPlan& output,
                    const std::function<void(const DescribedFile& file)>& visit) {
    const TargetContents contents(plan);
    const std::vector<std::size_t> in_shares = tensors_in_shares(plan, output);
    for (const OutputFile& file : output.files) {
        if (file.targets.empty()) continue;
        DescribedFile planned{&file, {}};
        for (std::uint32_t i : file.targets)
            planned.tensors.push_back({&output.tensor(plan, i),
                                       i < plan.targets.size()
                                           ? content_text(plan, contents, i)
                                           : "parts of " + base::plural(in_shares[i - plan.targets.size()], "tensor")});
        visit(planned);
    }
}

void write_plan(const ConversionPlan& plan, const OutputPlan& output,
                const std::function<void(std::string_view text)>& write) {
    describe_files(plan, output, [&](const DescribedFile& file) {
        write(base::show("{}\n", file.file->path));
        for (const auto& [target, made_of] : file.tensors)
            write(base::show("  {}  {} {}  {}\n", target->name.get(), name(target->dtype),
                             to_string(target->shape_in_file()), made_of));
    });
}

std::string plan_text(const ConversionPlan& plan, const OutputPlan& output) {
    std::string out;
    write_plan(plan, output, [&](std::string_view text) { out += text; });
    return out;
}

}  // namespace ckpt
