#include "migrator/compare/overall_sheet.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "base/format.h"

namespace migrator {
namespace {

using P = ComputingPart;

// As the vendor's tool has it, from seconds: what that rounds is rounded as well.
double base_milliseconds(Ticks time) { return microseconds(time) / 1e6 * 1e3; }

// A line of one side.
struct Figure {
    double milliseconds = 0;
    std::optional<std::uint64_t> count;
    bool is_there = true;  // false: this side has no such thing
};

class OverallRows {
public:
    OverallRows(const SideMetrics& base, const SideMetrics& compared) : base_(base), compared_(compared) {}

    std::vector<SheetRow> run() {
        add(0, "Computing Time", [](const SideMetrics& side) {
            return Figure{base_milliseconds(side.computing), side.split.computing().count};
        });
        add_fused();
        add_parts();
        add(0, "Uncovered Communication Time", [](const SideMetrics& side) {
            return Figure{base_milliseconds(side.uncovered), {}};
        });
        add_groups();
        add_overlaps();
        const auto copies = [](const SideMetrics& side) { return side.split[P::copies].time; };
        add(0, "Free Time", [](const SideMetrics& side) { return Figure{base_milliseconds(side.free()), {}}; });
        add(1, "SDMA", [&](const SideMetrics& side) { return Figure{milliseconds(copies(side)), {}}; });
        add(1, "Free", [&](const SideMetrics& side) {
            return Figure{base_milliseconds(side.free() - copies(side)), {}};
        });
        add(0, "E2E Time", [](const SideMetrics& side) { return Figure{base_milliseconds(side.whole), {}}; });
        return std::move(rows_);
    }

private:
    template <class Of>
    void add(int depth, const std::string& name, const Of& of) {
        add_row(depth, name, of(base_), of(compared_));
    }

    void add_row(int depth, const std::string& name, const Figure& a, const Figure& b) {
        if (a.milliseconds == 0 && b.milliseconds == 0) return;
        SheetRow row{text_cell(std::string(static_cast<std::size_t>(depth), '\t') + name)};
        const auto add_side = [&](const SideMetrics& side, const Figure& figure) {
            const bool is_whole = name == "E2E Time" && depth == 0;
            row.emplace_back(figure.milliseconds);
            row.emplace_back(is_whole || side.whole == 0 ? (is_whole ? 1.0 : 0.0)
                                                         : figure.milliseconds / milliseconds(side.whole));
            row.push_back(figure.count ? count_cell(*figure.count) : text_cell("/"));
        };
        add_side(base_, a);
        add_side(compared_, b);
        row.emplace_back(rounded(b.milliseconds - a.milliseconds, 2));
        row.emplace_back(ratio_of(a.milliseconds, b.milliseconds));
        rows_.push_back(std::move(row));
    }

    void add_part(int depth, const std::string& name, std::initializer_list<P> parts) {
        add(depth, name, [&](const SideMetrics& side) {
            PartTime sum;
            for (const P part : parts) {
                sum.time += side.split[part].time;
                sum.count += side.split[part].count;
            }
            return Figure{milliseconds(sum.time), sum.count};
        });
    }

    void add_units(const std::string& name, P cube, P vector) {
        add_part(1, name, {cube, vector});
        add_part(2, name + " (Cube)", {cube});
        add_part(2, name + " (Vector)", {vector});
    }

    void add_parts() {
        add_units("Flash Attention (Forward)", P::attention_forward_cube, P::attention_forward_vector);
        add_units("Flash Attention (Backward)", P::attention_backward_cube, P::attention_backward_vector);
        add_units("Conv (Forward)", P::convolution_forward_cube, P::convolution_forward_vector);
        add_units("Conv (Backward)", P::convolution_backward_cube, P::convolution_backward_vector);
        add_units("Matmul", P::matmul_cube, P::matmul_vector);
        add_part(1, "Page Attention", {P::paged_attention});
        add_part(1, "Vector", {P::vector_format, P::vector_other});
        add_part(2, "Vector (Trans)", {P::vector_format});
        add_part(2, "Vector (No Trans)", {P::vector_other});
        add_part(1, "Cube", {P::cube_other});
        add_part(1, "SDMA (Tensor Move)", {P::tensor_move});
        add(1, "Other", [](const SideMetrics& side) { return Figure{milliseconds(side.other()), {}}; });
    }

    // What both sides have by a name: that of the base, then what only the other has.
    template <class Item, class NameOf>
    static std::vector<std::string> names_of_both(const std::vector<Item>& a, const std::vector<Item>& b,
                                                  const NameOf& name_of) {
        std::vector<std::string> out;
        for (const auto* list : {&a, &b}) {
            for (const Item& item : *list) {
                if (std::ranges::find(out, name_of(item)) == out.end()) out.push_back(name_of(item));
            }
        }
        return out;
    }

    template <class Item, class NameOf>
    static const Item* named(const std::vector<Item>& list, const std::string& name, const NameOf& name_of) {
        const auto found = std::ranges::find_if(list, [&](const Item& item) { return name_of(item) == name; });
        return found == list.end() ? nullptr : &*found;
    }

    void add_fused() {
        const auto name_of = [](const FusedCommunication& item) { return item.name; };
        for (const std::string& name : names_of_both(base_.split.fused, compared_.split.fused, name_of)) {
            const auto of = [&](const auto& figure) {
                return [&, figure](const SideMetrics& side) {
                    const FusedCommunication* item = named(side.split.fused, name, name_of);
                    return item == nullptr ? Figure{} : figure(*item);
                };
            };
            add(1, name, of([](const FusedCommunication& item) {
                    return Figure{milliseconds(item.time), item.count};
                }));
            add(2, "Computing", of([](const FusedCommunication& item) { return Figure{item.computing / 1e3, {}}; }));
            add(2, "Communication", of([](const FusedCommunication& item) {
                    return Figure{milliseconds(item.communication), {}};
                }));
        }
    }

    // By the name of the process group where it is the only one of that name on both sides, else by that of the thread.
    std::string key_of(const GroupTime& group) const {
        const auto count = [&](const SideMetrics& side) {
            return std::ranges::count(side.groups, group.process_group, &GroupTime::process_group);
        };
        const bool is_unique = !group.process_group.empty() && count(base_) == 1 && count(compared_) == 1;
        return is_unique ? "\n" + group.process_group : group.thread;
    }

    void add_groups() {
        const auto name_of = [&](const GroupTime& group) { return key_of(group); };
        for (const std::string& key : names_of_both(base_.groups, compared_.groups, name_of)) {
            const GroupTime* a = named(base_.groups, key, name_of);
            const GroupTime* b = named(compared_.groups, key, name_of);
            const GroupTime& any = a == nullptr ? *b : *a;
            const auto of = [&](const auto& time) {
                return [&, time](const SideMetrics& side) {
                    const GroupTime* group = &side == &base_ ? a : b;
                    return group == nullptr ? Figure{} : Figure{milliseconds(time(*group)), {}};
                };
            };
            const bool is_by_name = key.front() == '\n' && a != nullptr && b != nullptr;
            const std::string thread = is_by_name ? "Communication" : any.thread;
            add(1, any.process_group.empty() ? thread : any.process_group + ": " + thread,
                of([](const GroupTime& group) { return group.all; }));
            add(2, "Wait", of([](const GroupTime& group) { return group.wait.value_or(0); }));
            add(2, "Transmit", of([](const GroupTime& group) { return group.transmit(); }));
        }
    }

    static std::string label_of(const SideMetrics& side, const std::string& thread) {
        const auto found = std::ranges::find(side.groups, thread, &GroupTime::thread);
        return found == side.groups.end() || found->process_group.empty() ? thread : found->process_group;
    }

    void add_overlaps() {
        add(1, "Uncovered Communication Overlapped", [](const SideMetrics& side) {
            Ticks sum = 0;
            for (const GroupOverlap& item : side.overlaps) sum += item.time;
            return Figure{milliseconds(sum), {}};
        });
        struct NamedTime {
            std::string name;
            Ticks time;
        };
        const auto named_overlaps = [&](const SideMetrics& side) {
            std::vector<NamedTime> out;
            for (const GroupOverlap& item : side.overlaps)
                out.push_back({label_of(side, item.one) + " & " + label_of(side, item.other), item.time});
            return out;
        };
        const auto name_of = [](const NamedTime& item) { return item.name; };
        const std::vector<NamedTime> a = named_overlaps(base_), b = named_overlaps(compared_);
        for (const std::string& name : names_of_both(a, b, name_of)) {
            add(2, name, [&](const SideMetrics& side) {
                const NamedTime* item = named(&side == &base_ ? a : b, name, name_of);
                return item == nullptr ? Figure{} : Figure{milliseconds(item->time), {}};
            });
        }
    }

    const SideMetrics& base_;
    const SideMetrics& compared_;
    std::vector<SheetRow> rows_;
};

std::string seconds_text(double milliseconds) { return base::format("{:.3f}s", milliseconds / 1e3); }

std::string counted(const ComputingSplit& split, std::initializer_list<P> parts) {
    PartTime sum;
    for (const P part : parts) {
        sum.time += split[part].time;
        sum.count += split[part].count;
    }
    return base::format("{}({})", seconds_text(milliseconds(sum.time)), sum.count);
}

std::string cube_text(const SideMetrics& side) {
    PartTime sum;
    for (const P part : {P::matmul_cube, P::matmul_vector, P::cube_other}) {
        sum.time += side.split[part].time;
        sum.count += side.split[part].count;
    }
    for (const FusedCommunication& item : side.split.fused) sum.time += item.time;
    return base::format("{}({})", seconds_text(milliseconds(sum.time)), sum.count);
}

}  // namespace

Sheet overall_sheet(const SideMetrics& base, const SideMetrics& compared) {
    Sheet out;
    out.name = "OverallMetrics";
    out.headers = {"Index"};
    for (int side = 0; side < 2; ++side)
        out.headers.insert(out.headers.end(), {"Duration(ms)", "Duration Ratio", "Number"});
    out.headers.insert(out.headers.end(), {"Diff Duration(ms)", "Diff Ratio"});
    out.rows = OverallRows(base, compared).run();
    return out;
}

Sheet distribution_table(const SideMetrics& base, const SideMetrics& compared) {
    Sheet out;
    out.name = "Model Profiling Time Distribution";
    out.headers = {""};
    out.rows.resize(2);
    const SideMetrics* const sides[] = {&base, &compared};
    for (std::size_t i = 0; i < 2; ++i)
        out.rows[i].push_back(text_cell(sides[i]->kind == TraceKind::gpu ? "GPU" : "NPU"));
    const auto add = [&](const char* header, const auto& text_of) {
        out.headers.emplace_back(header);
        for (std::size_t i = 0; i < 2; ++i) out.rows[i].push_back(text_cell(text_of(*sides[i])));
    };
    const auto add_parts = [&](const char* header, std::initializer_list<P> parts) {
        const bool is_there = std::ranges::any_of(sides, [&](const SideMetrics* side) {
            return std::ranges::any_of(parts, [&](P part) { return side->split[part].time != 0; });
        });
        if (is_there) add(header, [&](const SideMetrics& side) { return counted(side.split, parts); });
    };
    const auto add_if = [&](const char* header, const auto& number_of, const auto& text_of) {
        if (number_of(base) != 0 || number_of(compared) != 0) add(header, text_of);
    };
    if (!base.hides_kernels && !compared.hides_kernels) {
        add("Cube Time(Num)", cube_text);
        add("Vector Time(Num)", [](const SideMetrics& side) {
            return counted(side.split, {P::vector_format, P::vector_other});
        });
    }
    add_parts("Conv Time(Forward)(Num)", {P::convolution_forward_cube, P::convolution_forward_vector});
    add_parts("Conv Time(Backward)(Num)", {P::convolution_backward_cube, P::convolution_backward_vector});
    add_parts("Flash Attention Time(Forward)(Num)", {P::attention_forward_cube, P::attention_forward_vector});
    add_parts("Flash Attention Time(Backward)(Num)", {P::attention_backward_cube, P::attention_backward_vector});
    add_parts("Paged Attention Time(Num)", {P::paged_attention});
    add_parts("Lccl Time(Num)", {P::lccl});
    add_if(
        "Other Time", [](const SideMetrics& side) { return side.told_other(); },
        [](const SideMetrics& side) { return seconds_text(milliseconds(side.told_other())); });
    add("Computing Time", [](const SideMetrics& side) { return seconds_text(milliseconds(side.computing)); });
    add_if(
        "Mem Usage", [](const SideMetrics& side) { return side.memory_gib; },
        [](const SideMetrics& side) { return base::format("{:.2f}G", side.memory_gib); });
    add("Uncovered Communication Time(Wait Time)", [&](const SideMetrics& side) {
        const bool is_told = &side == &base ? side.wait.value_or(0) != 0 : side.wait.has_value();
        return base::format(" {}({})", seconds_text(milliseconds(side.uncovered)),
                            is_told ? seconds_text(milliseconds(*side.wait)) : " / ");
    });
    const auto bandwidth = [](double number) { return base::format("{:.3f}GB/s", number); };
    add_if(
        "RDMA Bandwidth", [](const SideMetrics& side) { return side.rdma_bandwidth; },
        [&](const SideMetrics& side) { return bandwidth(side.rdma_bandwidth); });
    add_if(
        "SDMA Bandwidth", [](const SideMetrics& side) { return side.sdma_bandwidth; },
        [&](const SideMetrics& side) { return bandwidth(side.sdma_bandwidth); });
    add_parts("SDMA Time(Num)", {P::tensor_move, P::copies});
    add("Free Time", [](const SideMetrics& side) { return seconds_text(milliseconds(side.free())); });
    const bool has_npu = base.kind == TraceKind::npu || compared.kind == TraceKind::npu;
    add(has_npu ? "E2E Time(Not minimal profiling)" : "E2E Time",
        [](const SideMetrics& side) { return seconds_text(milliseconds(side.whole)); });
    return out;
}

void write_metrics(base::JsonWriter& out, const SideMetrics& side) {
    struct Key {
        const char* time;
        const char* count;
        P part;
    };
    constexpr Key kKeys[] = {
        {"fa_time_fwd_cube", "fa_num_fwd_cube", P::attention_forward_cube},
        {"fa_time_fwd_vector", "fa_num_fwd_vector", P::attention_forward_vector},
        {"fa_time_bwd_cube", "fa_num_bwd_cube", P::attention_backward_cube},
        {"fa_time_bwd_vector", "fa_num_bwd_vector", P::attention_backward_vector},
        {"conv_time_fwd_cube", "conv_num_fwd_cube", P::convolution_forward_cube},
        {"conv_time_fwd_vector", "conv_num_fwd_vector", P::convolution_forward_vector},
        {"conv_time_bwd_cube", "conv_num_bwd_cube", P::convolution_backward_cube},
        {"conv_time_bwd_vector", "conv_num_bwd_vector", P::convolution_backward_vector},
        {"matmul_time_cube", "matmul_num_cube", P::matmul_cube},
        {"matmul_time_vector", "matmul_num_vector", P::matmul_vector},
        {"page_attention_time", "page_attention_num", P::paged_attention},
        {"vector_time_trans", "vector_num_trans", P::vector_format},
        {"vector_time_notrans", "vector_num_notrans", P::vector_other},
        {"other_cube_time", "other_cube_num", P::cube_other},
        {"sdma_time_tensor_move", "sdma_num_tensor_move", P::tensor_move},
        {"sdma_time_stream", "sdma_num_stream", P::copies},
    };
    const auto seconds = [](Ticks time) { return microseconds(time) / 1e6; };
    out.begin_object();
    out.key("profiling_type").string(side.kind == TraceKind::gpu ? "GPU" : "NPU");
    out.key("compute_time").number(seconds(side.computing));
    out.key("communication_not_overlapped").number(seconds(side.uncovered));
    if (side.wait) out.key("wait_time").number(seconds(*side.wait));
    else out.key("wait_time").null();
    out.key("memory_used").number(side.memory_gib);
    out.key("e2e_time").number(seconds(side.whole));
    out.key("scheduling_time").number(seconds(side.free()));
    out.key("other_time").number(seconds(side.told_other()));
    out.key("lccl_time").number(seconds(side.split[P::lccl].time));
    out.key("lccl_num").unsigned_integer(side.split[P::lccl].count);
    out.key("hide_op_details").boolean(side.hides_kernels);
    for (const Key& key : kKeys) {
        out.key(key.time).number(milliseconds(side.split[key.part].time));
        out.key(key.count).unsigned_integer(side.split[key.part].count);
    }
    out.key("rdma_bandwidth").number(side.rdma_bandwidth);
    out.key("sdma_bandwidth").number(side.sdma_bandwidth);
    out.key("communication_group_time").begin_object();
    for (const GroupTime& group : side.groups) {
        out.key(group.thread).begin_object();
        if (group.wait) out.key("wait").number(microseconds(*group.wait));
        else out.key("wait").null();
        out.key("transmit").number(microseconds(group.transmit()));
        out.end_object();
    }
    out.end_object();
    out.key("mc2_time_dict").begin_object();
    for (const FusedCommunication& item : side.split.fused) {
        out.key(item.name).begin_object();
        out.key("mc2").number(microseconds(item.time));
        out.key("mc2_p").number(item.computing);
        out.key("mc2_m").number(microseconds(item.communication));
        out.key("mc2_num").unsigned_integer(item.count);
        out.end_object();
    }
    out.end_object();
    out.key("pg_name_dict").begin_object();
    for (const GroupTime& group : side.groups) {
        if (!group.process_group.empty()) out.key(group.thread).string(group.process_group);
    }
    out.end_object();
    out.key("communication_overlap_time").begin_object();
    for (const GroupOverlap& item : side.overlaps)
        out.key(item.one + " & " + item.other).number(milliseconds(item.time));
    out.end_object();
    out.end_object();
}

}  // namespace migrator
