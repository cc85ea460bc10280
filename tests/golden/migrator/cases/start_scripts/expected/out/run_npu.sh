#!/usr/bin/env bash
# Starts train.py on Ascend NPUs. What follows the name of this script is given to the program.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

# Loads the set_env.sh that the variable of this name holds, by a function without arguments: it would take those of this script for its own.
load_environment() {
    local named_by="$1"
    set +u
    trap 'echo "$0: ${!named_by} ended this script. Source it in a shell to see why, or name another: $named_by=/path/to/set_env.sh $0" >&2' EXIT
    source_environment || echo "$0: ${!named_by} failed. Source it in a shell to see why, or name another: $named_by=/path/to/set_env.sh $0" >&2
    trap - EXIT
    set -u
}
# CANN: its set_env.sh is sourced unless that has been done. Without CANN_SET_ENV it is looked for in its usual places.
if [ -z "${ASCEND_HOME_PATH:-${ASCEND_TOOLKIT_HOME:-}}" ]; then
    if [ -z "${CANN_SET_ENV:-}" ]; then
        for CANN_SET_ENV in "/usr/local/Ascend/cann/set_env.sh" "/usr/local/Ascend/ascend-toolkit/set_env.sh" "$HOME/Ascend/cann/set_env.sh" "$HOME/Ascend/ascend-toolkit/set_env.sh"; do
            [ ! -f "$CANN_SET_ENV" ] || break
        done
    fi
    if [ -f "$CANN_SET_ENV" ]; then
        # shellcheck source=/dev/null
        source_environment() { source "$CANN_SET_ENV"; }
        load_environment CANN_SET_ENV
    fi
fi
if [ -z "${ASCEND_HOME_PATH:-${ASCEND_TOOLKIT_HOME:-}}" ]; then
    echo "$0: CANN was not found. Install it, or say where it is: CANN_SET_ENV=/path/to/set_env.sh $0" >&2
    exit 1
fi
# NNAL, where it is installed. What it sets depends on the torch that Python finds, so torch and torch_npu come first.
if [ -z "${ATB_HOME_PATH:-}" ]; then
    if [ -z "${NNAL_SET_ENV:-}" ]; then
        for NNAL_SET_ENV in "/usr/local/Ascend/nnal/atb/set_env.sh" "$HOME/Ascend/nnal/atb/set_env.sh"; do
            [ ! -f "$NNAL_SET_ENV" ] || break
        done
    fi
    if [ -f "$NNAL_SET_ENV" ]; then
        # shellcheck source=/dev/null
        source_environment() { source "$NNAL_SET_ENV"; }
        load_environment NNAL_SET_ENV
    fi
fi

processes=1
cores="$(nproc)"

# What is set already stays.
# Segments that grow, against fragmentation; garbage_collection_threshold and max_split_size_mb exclude it.
export PYTORCH_NPU_ALLOC_CONF="${PYTORCH_NPU_ALLOC_CONF:-expandable_segments:True}"
# The host queues operators in two stages and hides more of its time than with 1, the default; 2 takes a little more memory.
export TASK_QUEUE_ENABLE="${TASK_QUEUE_ENABLE:-2}"
# Threads of the host stay on their cores; 0 where a container has other cores than the machine.
export CPU_AFFINITY_CONF="${CPU_AFFINITY_CONF:-2}"
# The cores of this machine, divided by its processes.
export OMP_NUM_THREADS="${OMP_NUM_THREADS:-$((cores > processes ? cores / processes : 1))}"

exec python3 train.py "$@"
