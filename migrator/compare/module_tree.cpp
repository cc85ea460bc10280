#include "migrator/compare/module_tree.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "base/format.h"

namespace migrator {
namespace {

// Each module says the way to it: the end of what is longer.
constexpr std::size_t kMaxPathBytes = 2048;
constexpr std::size_t kMaxStackBytes = 16384;

std::string end_of(const std::string& text, std::size_t bytes) {
    if (text.size() <= bytes) return text;
    std::size_t begin = text.size() - bytes;
    while (begin < text.size() && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80) ++begin;
    return "..." + text.substr(begin);
}

}  // namespace

class ModuleTree::Builder {
public:
    Builder(const ProfileSide& side, const OperatorTree& operators, ProfileNumbers numbers, ModuleTree& out)
        : trace_(side.trace),
          tree_(operators),
          is_ours_(numbers == ProfileNumbers::ours),
          uses_(side.trace.texts,
                [&side](const std::string& name) {
                    return NameUse{side.names.module_frames.begins(name), side.names.optimizer_operators.begins(name),
                                   side.names.step_names.in(name)};
                }),
          out_(out) {}

    void run() {
        const FrameTree calls(frames_of_python(false));
        std::vector<Frame> modules = frames_of_python(true);
        if (modules.empty()) return;
        for (std::uint32_t i = 0; i < trace_.host.size(); ++i) {
            if (uses_[trace_.host.get<&HostEvent::name>(i)].is_optimizer)
                modules.push_back(frame_of(trace_.host[i], i));
        }
        const FrameTree forward(std::move(modules));
        add_modules(forward, {}, calls, out_.forward_);
        std::vector<std::string> names;
        const FrameTree backward(backward_frames(forward, names));
        const std::size_t first = out_.modules_.size();
        add_modules(backward, names, calls, out_.backward_);
        add_operators(forward, backward, first);
        add_kernels(forward, 0);
        add_kernels(backward, first);
    }

private:
    struct NameUse {
        bool is_module = false, is_optimizer = false, is_step = false;
    };

    struct HashOfStart {
        std::size_t operator()(const std::pair<Ticks, TextNumber>& start) const {
            return std::hash<Ticks>{}(start.first) ^ std::size_t{start.second} << 32;
        }
    };

    TextNumber thread_of(TextNumber thread) const { return is_ours_ ? thread : kNoText; }

    Frame frame_of(const HostEvent& event, std::uint32_t number) const {
        return {.begin = event.begin,
                .end = event.end(),
                .thread = thread_of(event.thread),
                .name = event.name,
                .event = number};
    }

    std::vector<Frame> frames_of_python(bool of_modules) {
        std::vector<Frame> out;
        for (const HostEvent event : trace_.python) {
            if (uses_[event.name].is_module == of_modules) out.push_back(frame_of(event, Frame::kNone));
        }
        return out;
    }

    // `names`: of the frames by their number; empty: they have those of their events.
    void add_modules(const FrameTree& frames, const std::vector<std::string>& names, const FrameTree& calls,
                     std::vector<std::uint32_t>& top) {
        const auto first = static_cast<std::uint32_t>(out_.modules_.size());
        std::vector<TextNumber> own_stacks;  // of modules in modules, where no call of Python is around them
        for (std::uint32_t i = 0; i < frames.all().size(); ++i) {
            const Frame frame = frames.all()[i];
            ModuleRun run{.level = 1, .begin = frame.begin};
            run.name =
                end_of(names.empty() ? std::string(trace_.texts[frame.name]) : names[frame.event], kMaxPathBytes);
            std::string path = "/" + run.name, stack = run.name;
            (frame.parent == Frame::kNone ? top : out_.modules_[first + frame.parent].children).push_back(first + i);
            if (frame.parent != Frame::kNone) {
                const ModuleRun& parent = out_.modules_[first + frame.parent];
                run.level = parent.level + 1;
                path = std::string(out_.path(parent)) + path;
                stack = base::format("{};\n{}", out_.texts_[own_stacks[frame.parent]], stack);
            }
            run.path = out_.texts_.number(end_of(path, kMaxPathBytes));
            own_stacks.push_back(out_.texts_.number(end_of(stack, kMaxStackBytes)));
            const std::uint32_t call = calls.around(frame.thread, frame.begin);
            run.stack = call == Frame::kNone ? own_stacks.back() : stack_of(calls, call);
            out_.modules_.push_back(std::move(run));
        }
    }

    // Of a frame of Python, the outermost first; asked once for each.
    TextNumber stack_of(const FrameTree& calls, std::uint32_t frame) {
        if (const auto known = stacks_.find(frame); known != stacks_.end()) return known->second;
        std::vector<std::string_view> names;
        std::size_t bytes = 0;
        for (std::uint32_t i = frame; i != Frame::kNone && bytes < kMaxStackBytes;
             i = calls.all().get<&Frame::parent>(i)) {
            names.push_back(trace_.texts[calls.all().get<&Frame::name>(i)]);
            bytes += names.back().size();
        }
        std::string text;
        for (auto name = names.rbegin(); name != names.rend(); ++name)
            text += base::format("{}{}", text.empty() ? "" : ";\n", *name);
        return stacks_[frame] = out_.texts_.number(end_of(text, kMaxStackBytes));
    }

    // The operators at the ends of arrows that begin in a module.
    std::vector<Frame> backward_frames(const FrameTree& forward, std::vector<std::string>& names) {
        std::vector<Frame> out;
        if (trace_.backward.all().empty()) return out;
        const TextNumber process = trace_.threads[trace_.backward.all()[0].end_thread].first;
        // The last operator by its begin and thread.
        std::unordered_map<std::pair<Ticks, TextNumber>, std::uint32_t, HashOfStart> starting;
        for (const Flow flow : trace_.backward.all())
            starting.emplace(std::pair(flow.end, thread_of(flow.end_thread)), Frame::kNone);
        for (std::uint32_t i = 0; i < trace_.host.size(); ++i) {
            const TextNumber thread = trace_.host.get<&HostEvent::thread>(i);
            const auto found = starting.find({trace_.host.get<&HostEvent::begin>(i), thread_of(thread)});
            const bool is_of_process = is_ours_ || trace_.threads[thread].first == process;
            if (found != starting.end() && is_of_process && !uses_[trace_.host.get<&HostEvent::name>(i)].is_optimizer)
                found->second = i;
        }
        for (const Flow flow : trace_.backward.all()) {
            if (!flow.is_whole()) continue;
            const std::uint32_t number = starting.at({flow.end, thread_of(flow.end_thread)});
            if (number == Frame::kNone) continue;
            const std::uint32_t module = forward.around(thread_of(flow.begin_thread), flow.begin);
            if (module == Frame::kNone) continue;
            out.push_back(frame_of(trace_.host[number], static_cast<std::uint32_t>(names.size())));
            names.push_back(base::format("[ BACKWARD ]{}", out_.path(out_.modules_[module])));
        }
        return out;
    }

    // Of an operator only whether another one of its module is around it counts.
    void add_operators(const FrameTree& forward, const FrameTree& backward, std::size_t first_backward) {
        std::vector<std::vector<Ticks>> open(out_.modules_.size());
        std::vector<std::tuple<TextNumber, Ticks, std::uint32_t>> order;
        for (std::uint32_t i = 0; i < trace_.host.size(); ++i) {
            const NameUse& use = uses_[trace_.host.get<&HostEvent::name>(i)];
            if (use.is_optimizer || use.is_step) continue;
            order.emplace_back(thread_of(trace_.host.get<&HostEvent::thread>(i)), trace_.host.get<&HostEvent::begin>(i),
                               i);
        }
        std::ranges::sort(order);
        for (const auto& [thread, begin, number] : order) {
            std::size_t module = forward.around(thread, begin);
            if (module == Frame::kNone) {
                module = backward.around(thread, begin);
                if (module == Frame::kNone) continue;
                module += first_backward;
            }
            std::vector<Ticks>& ends = open[module];
            while (!ends.empty() && begin > ends.back()) ends.pop_back();
            if (ends.empty()) out_.modules_[module].operators.push_back({number, {}});
            ends.push_back(trace_.host[number].end());
        }
    }

    void add_kernels(const FrameTree& frames, std::size_t first) {
        std::vector<std::size_t> next(frames.all().size());  // of the operators of each module
        tree_.each_start([&](TextNumber thread, Ticks at, std::uint32_t kernel) {
            const std::uint32_t found = frames.open_at(thread_of(thread), at);
            if (found == Frame::kNone) return;
            const double time = microseconds(tree_.kernel(kernel).duration);
            out_.modules_[first + found].own_time += time;
            for (std::uint32_t i = found; i != Frame::kNone; i = frames.all().get<&Frame::parent>(i))
                out_.modules_[first + i].time += time;
            auto& operators = out_.modules_[first + found].operators;
            std::size_t& place = next[found];
            while (place < operators.size() && trace_.host[operators[place].event].end() < at) ++place;
            if (place < operators.size() && trace_.host.get<&HostEvent::begin>(operators[place].event) <= at)
                operators[place].kernels.push_back(kernel);
        });
    }

    const TraceRecords& trace_;
    const OperatorTree& tree_;
    const bool is_ours_;
    PerText<NameUse> uses_;
    ModuleTree& out_;
    std::unordered_map<std::uint32_t, TextNumber> stacks_;
};

ModuleTree::ModuleTree(const ProfileSide& side, const OperatorTree& operators, ProfileNumbers numbers) {
    Builder(side, operators, numbers, *this).run();
}

}  // namespace migrator
