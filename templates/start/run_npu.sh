#!/usr/bin/env bash
@HEADERS@
# Starts @NAME@ on Ascend NPUs. What follows the name of this script is given to the program.
# @ORIGIN@
set -euo pipefail
cd "@DIRECTORY@"

# CANN: its set_env.sh is sourced unless that has been done.
if [ -z "${ASCEND_HOME_PATH:-${ASCEND_TOOLKIT_HOME:-}}" ]; then
    for set_env in "${CANN_SET_ENV:-}" @ENVIRONMENTS@; do
        [ -f "$set_env" ] || continue
        set +u
        # shellcheck disable=SC1090
        source "$set_env"
        set -u
        break
    done
fi
if [ -z "${ASCEND_HOME_PATH:-${ASCEND_TOOLKIT_HOME:-}}" ]; then
    echo "$0: CANN was not found. Install it, or say where it is: CANN_SET_ENV=/path/to/set_env.sh $0" >&2
    exit 1
fi

@NUMBERS@

# What is set already stays.
@VARIABLES@

@START@
