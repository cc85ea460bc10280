ARGS=(
  --layers 2
  --distributed-backend hccl # expect: backend.string
  --device npu # expect: device.string
)
case "$WHERE" in
  cuda) MORE=(--device npu --amp) ;; # expect: device.string
  *) MORE=() ;;
esac
torchrun train.py "${ARGS[@]}" "${MORE[@]}"
