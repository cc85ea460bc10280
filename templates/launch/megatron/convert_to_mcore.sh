#!/usr/bin/env bash
# Converts {{title}} from Hugging Face to torch_dist, which loads at any TP and PP. Needs no device.
set -euo pipefail
HERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
# shellcheck source=/dev/null
source "$HERE/settings.sh"

ckpt_convert convert "$HF_DIR" "$MCORE_DIR" \
    {{convert_options}}
