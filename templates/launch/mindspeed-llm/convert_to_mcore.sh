#!/usr/bin/env bash #? converts
# Converts {{title}} from Hugging Face to {{layout_title}}. Needs no device. #? converts
set -euo pipefail #? converts
HERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)" #? converts
# shellcheck source=/dev/null #? converts
source "$HERE/settings.sh" #? converts

ckpt_convert convert "$HF_DIR" "$MCORE_DIR" \ #? converts
    {{convert_options}} #? converts
