// ProfileNames: what names, categories and keys in profiles stand for (rules/profiles/names.json).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/lower_case.h"
#include "base/rule_file.h"

namespace migrator {

// Whose numbers are computed: ours, or those of msprof-analyze with its faults.
enum class ProfileNumbers { ours, msprof };

// Words in lower case that stand for one thing.
struct ProfileWords {
    std::vector<std::string> words, also;

    // Whether one of them is a part of the text, is the text, or begins it. The text is in lower case.
    bool in(std::string_view text) const;
    bool is(std::string_view text) const;
    bool begins(std::string_view text) const;
};
constexpr auto record_of(const ProfileWords*) {
    return base::record("profile_words", "names that stand for one thing",
                        base::field("words", &ProfileWords::words, "those that msprof-analyze knows as well"),
                        base::field("also", &ProfileWords::also, "those that it does not know"));
}

struct ProfileNames {
    ProfileWords attention_operators;
    ProfileWords convolution_operators;
    ProfileWords matmul_operators;
    ProfileWords backward_words;
    ProfileWords step_names;
    ProfileWords cube_kernels;
    ProfileWords attention_kernels;
    ProfileWords convolution_kernels;
    ProfileWords matmul_kernels;
    ProfileWords gradient_kernels;
    ProfileWords format_kernels;
    ProfileWords fused_communication_kernels;
    ProfileWords communication_kernels;
    ProfileWords copy_kernels;
    ProfileWords paged_attention_types;
    ProfileWords attention_types, database_attention_types;
    ProfileWords attention_gradient_words;
    ProfileWords convolution_types;
    ProfileWords matmul_types;
    ProfileWords tensor_move_begin;
    ProfileWords tensor_move_words;
    ProfileWords operator_categories, annotation_categories, launch_categories;  // of what the host runs
    ProfileWords kernel_categories, copy_categories, set_categories;             // of what the device runs
    ProfileWords flow_categories;
    ProfileWords npu_flow_categories;
    ProfileWords backward_categories;
    ProfileWords python_categories;
    ProfileWords enqueue_categories;
    ProfileWords dequeue_categories;
    ProfileWords connection_categories;
    ProfileWords memory_events;
    ProfileWords hardware_processes;
    ProfileWords communication_processes;
    ProfileWords overlap_processes;
    ProfileWords computing_intervals;
    ProfileWords uncovered_intervals;
    ProfileWords stream_waits;
    ProfileWords copy_tasks;
    ProfileWords core_tasks;
    ProfileWords fused_communication_ends;
    ProfileWords lccl_tasks;
    ProfileWords untimed_tasks;
    ProfileWords wait_tasks;
    ProfileWords send_tasks;
    ProfileWords stream_keys;
    ProfileWords group_threads;
    ProfileWords runtime_processes;
    ProfileWords kernel_launches;
    ProfileWords stream_synchronisations;
    ProfileWords compilations;
    ProfileWords memory_calls;
    ProfileWords runtime_interfaces, free_intervals, frequency_counters, collection_categories;
    ProfileWords transfers;
    ProfileWords aligned_transports;
    ProfileWords ai_cpu_cores;
    ProfileWords dynamic_states;
    ProfileWords loader_operators;
    ProfileWords batch_norm_operators;
    ProfileWords grouped_matmul_types, expert_groups;
    ProfileWords send_operators, receive_operators, exchange_operators, pipeline_groups;
    ProfileWords host_reads;
    ProfileWords module_frames, optimizer_operators;
    ProfileWords library_folders, library_begins;
};
constexpr auto record_of(const ProfileNames*) {
    using N = ProfileNames;
    return base::record(
        "profile_names", "what names in profiles stand for",
        base::field("attention_operators", &N::attention_operators,
                    "parts of names of operators that compute attention")
            .needed(),
        base::field("convolution_operators", &N::convolution_operators, "convolutions").needed(),
        base::field("matmul_operators", &N::matmul_operators, "products of matrices").needed(),
        base::field("backward_words", &N::backward_words, "what tells that they are of the backward pass").needed(),
        base::field("step_names", &N::step_names, "parts of names of steps").needed(),
        base::field("cube_kernels", &N::cube_kernels, "parts of names of kernels of a GPU that multiply matrices")
            .needed(),
        base::field("attention_kernels", &N::attention_kernels, "kernels of attention, where no operator claims them")
            .needed(),
        base::field("convolution_kernels", &N::convolution_kernels, "kernels of convolutions, likewise").needed(),
        base::field("matmul_kernels", &N::matmul_kernels, "kernels of products of matrices, likewise").needed(),
        base::field("gradient_kernels", &N::gradient_kernels, "what tells that these are of the backward pass")
            .needed(),
        base::field("format_kernels", &N::format_kernels, "parts of names of kernels that change a format or a dtype")
            .needed(),
        base::field("fused_communication_kernels", &N::fused_communication_kernels,
                    "kernels that multiply and communicate")
            .needed(),
        base::field("communication_kernels", &N::communication_kernels, "beginnings of names of collectives").needed(),
        base::field("copy_kernels", &N::copy_kernels, "parts of names of copies").needed(),
        base::field("paged_attention_types", &N::paged_attention_types, "parts of types of kernels of an NPU").needed(),
        base::field("attention_types", &N::attention_types, "attention").needed(),
        base::field("database_attention_types", &N::database_attention_types,
                    "attention, as msprof-analyze knows it in databases")
            .needed(),
        base::field("untimed_tasks", &N::untimed_tasks,
                    "types of tasks in databases that do not bound the time as a whole")
            .needed(),
        base::field("attention_gradient_words", &N::attention_gradient_words, "its gradient").needed(),
        base::field("convolution_types", &N::convolution_types, "beginnings of types of convolutions").needed(),
        base::field("matmul_types", &N::matmul_types, "products of matrices").needed(),
        base::field("tensor_move_begin", &N::tensor_move_begin, "beginning of the name of a copy that is a kernel")
            .needed(),
        base::field("tensor_move_words", &N::tensor_move_words, "and a part of it").needed(),
        base::field("operator_categories", &N::operator_categories, "categories of operators of the host").needed(),
        base::field("annotation_categories", &N::annotation_categories, "of what a program calls by a name of its own")
            .needed(),
        base::field("launch_categories", &N::launch_categories, "of calls that start kernels").needed(),
        base::field("kernel_categories", &N::kernel_categories, "of kernels").needed(),
        base::field("copy_categories", &N::copy_categories, "of copies").needed(),
        base::field("set_categories", &N::set_categories, "of memory that is set").needed(),
        base::field("flow_categories", &N::flow_categories, "of arrows from the host to kernels").needed(),
        base::field("npu_flow_categories", &N::npu_flow_categories, "of its arrows").needed(),
        base::field("backward_categories", &N::backward_categories, "of arrows to the backward pass").needed(),
        base::field("python_categories", &N::python_categories, "of frames of Python").needed(),
        base::field("enqueue_categories", &N::enqueue_categories, "of tasks put into the queue").needed(),
        base::field("dequeue_categories", &N::dequeue_categories, "of tasks taken from it").needed(),
        base::field("connection_categories", &N::connection_categories,
                    "of calls with the number of what they start, as they are read from a database")
            .needed(),
        base::field("memory_events", &N::memory_events, "names of events about memory").needed(),
        base::field("hardware_processes", &N::hardware_processes, "names of processes: the device").needed(),
        base::field("communication_processes", &N::communication_processes, "collectives").needed(),
        base::field("overlap_processes", &N::overlap_processes, "what overlaps").needed(),
        base::field("computing_intervals", &N::computing_intervals, "names of intervals: computing").needed(),
        base::field("uncovered_intervals", &N::uncovered_intervals, "communication alone").needed(),
        base::field("stream_waits", &N::stream_waits, "types of tasks that wait for another stream").needed(),
        base::field("copy_tasks", &N::copy_tasks, "copies").needed(),
        base::field("core_tasks", &N::core_tasks, "those of cores").needed(),
        base::field("fused_communication_ends", &N::fused_communication_ends,
                    "names of tasks at the ends of communication in a kernel")
            .needed(),
        base::field("lccl_tasks", &N::lccl_tasks, "names of tasks of LCCL").needed(),
        base::field("wait_tasks", &N::wait_tasks, "names of tasks that wait for another rank").needed(),
        base::field("send_tasks", &N::send_tasks, "and of those that send").needed(),
        base::field("stream_keys", &N::stream_keys, "keys of the stream of a task").needed(),
        base::field("group_threads", &N::group_threads, "parts of names of threads of a group").needed(),
        base::field("runtime_processes", &N::runtime_processes, "the runtime on the host").needed(),
        base::field("kernel_launches", &N::kernel_launches, "names of calls that launch a kernel").needed(),
        base::field("stream_synchronisations", &N::stream_synchronisations, "calls that wait for a stream").needed(),
        base::field("compilations", &N::compilations, "calls that compile an operator").needed(),
        base::field("memory_calls", &N::memory_calls, "calls that take memory from the driver or give it back")
            .needed(),
        base::field("runtime_interfaces", &N::runtime_interfaces, "how names of calls of the runtime's interface begin")
            .needed(),
        base::field("free_intervals", &N::free_intervals, "names of intervals: nothing runs").needed(),
        base::field("frequency_counters", &N::frequency_counters, "names of counters: clock of AI cores").needed(),
        base::field("collection_categories", &N::collection_categories, "categories: Python collects garbage").needed(),
        base::field("transfers", &N::transfers, "names of tasks that move data").needed(),
        base::field("aligned_transports", &N::aligned_transports, "types of transport that want aligned data").needed(),
        base::field("ai_cpu_cores", &N::ai_cpu_cores, "names of the core that is a CPU").needed(),
        base::field("dynamic_states", &N::dynamic_states, "states of kernels of dynamic shapes").needed(),
        base::field("loader_operators", &N::loader_operators, "beginnings of names: a batch is awaited").needed(),
        base::field("batch_norm_operators", &N::batch_norm_operators,
                    "parts of names: statistics of a batch are exchanged")
            .needed(),
        base::field("grouped_matmul_types", &N::grouped_matmul_types,
                    "parts of types: products of the tokens of each expert")
            .needed(),
        base::field("expert_groups", &N::expert_groups, "names of groups that share the experts").needed(),
        base::field("send_operators", &N::send_operators, "how names of operators begin that send to a rank").needed(),
        base::field("receive_operators", &N::receive_operators, "that receive").needed(),
        base::field("exchange_operators", &N::exchange_operators, "that may do both").needed(),
        base::field("pipeline_groups", &N::pipeline_groups, "names of groups of the stages of a pipeline").needed(),
        base::field("host_reads", &N::host_reads, "names: a value of the device is read on the host").needed(),
        base::field("module_frames", &N::module_frames, "how frames of Python begin that are modules").needed(),
        base::field("optimizer_operators", &N::optimizer_operators, "how names of steps of an optimizer begin")
            .needed(),
        base::field("library_folders", &N::library_folders, "parts of paths of code that projects only call").needed(),
        base::field("library_begins", &N::library_begins, "how paths of such code begin").needed());
}

struct ProfileNamesFile : base::RuleFileHead {
    ProfileNames lists;
};
constexpr auto record_of(const ProfileNamesFile*) {
    return base::extended(base::record_for<base::RuleFileHead>(), "profile_names_file", "names in profiles",
                          base::field("lists", &ProfileNamesFile::lists, "all of them").needed());
}

// Every list is in `words` then; for msprof without what that does not know. Fails with rule_data.
base::Result<ProfileNames> load_profile_names(const base::DataStore& store, ProfileNumbers numbers);

using base::lower_case;

}  // namespace migrator
