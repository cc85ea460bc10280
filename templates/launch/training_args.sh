# {{title}}
#
# The arguments that a training run needs for this checkpoint. Source this file, then add "${CHECKPOINT_ARGS[@]}" to the
# command line of the training script. Everything else - data, batch sizes, learning rate - is up to the run.
CHECKPOINT_DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
CHECKPOINT_ARGS=(
    --load "$CHECKPOINT_DIR"
{{flags}}
)
