#!/usr/bin/env bash
# Analyses a project in a pipeline of GitHub: action.yml runs it. Settings are variables of the environment:
#   PACKAGE        what pip installs: a wheel, its address, or a name; empty: built from the sources around this script
#   PROJECT        the directory to analyse (.)
#   REPORT         where the reports go (migrator_report)
#   FORMATS        which (html,json,sarif,gitlab,junit,markdown)
#   FAIL_ON        end with 1 at findings of this severity and above: info, warning, error; empty: never
#   BASELINE       an older report.json: its findings do not count
#   TORCH_VERSION  the version of torch on the NPU
set -euo pipefail

toolkit=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ -z "${PACKAGE:-}" ]; then
    "$toolkit/cmake/wheels.sh" --output "$work/dist"
    PACKAGE=$(echo "$work"/dist/*.whl)
fi
environment=${RUNNER_TEMP:-$work}/migration_toolkit
python3 -m venv "$environment"
"$environment/bin/python" -m pip install --quiet --disable-pip-version-check "$PACKAGE"
# Later steps of a workflow have the programs on their PATH.
[ -z "${GITHUB_PATH:-}" ] || echo "$environment/bin" >>"$GITHUB_PATH"

report=${REPORT:-migrator_report}
options=(--report "$report" --format "${FORMATS:-html,json,sarif,gitlab,junit,markdown}" --no-progress)
[ -z "${FAIL_ON:-}" ] || options+=(--fail-on "$FAIL_ON")
[ -z "${BASELINE:-}" ] || options+=(--baseline "$BASELINE")
[ -z "${TORCH_VERSION:-}" ] || options+=(--torch-version "$TORCH_VERSION")
status=0
"$environment/bin/migrator" analyze "${PROJECT:-.}" "${options[@]}" || status=$?
if [ -n "${GITHUB_STEP_SUMMARY:-}" ] && [ -f "$report/report.md" ]; then cat "$report/report.md" >>"$GITHUB_STEP_SUMMARY"; fi
exit "$status"
