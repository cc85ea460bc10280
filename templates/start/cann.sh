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
        for CANN_SET_ENV in {{places}}; do
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
        for NNAL_SET_ENV in {{nnal}}; do
            [ ! -f "$NNAL_SET_ENV" ] || break
        done
    fi
    if [ -f "$NNAL_SET_ENV" ]; then
        # shellcheck source=/dev/null
        source_environment() { source "$NNAL_SET_ENV"; }
        load_environment NNAL_SET_ENV
    fi
fi
