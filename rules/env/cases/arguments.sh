ARGS=(
  --layers 2
  --distributed-backend nccl # expect: backend.string
  --device cuda # expect: device.string
)
case "$WHERE" in
  cuda) MORE=(--device cuda --amp) ;; # expect: device.string
  *) MORE=() ;;
esac
torchrun train.py "${ARGS[@]}" "${MORE[@]}"
