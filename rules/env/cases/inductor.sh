export TORCHINDUCTOR_CUDAGRAPHS=1 # expect: env.inductor
export TORCHINDUCTOR_MAX_AUTOTUNE=1 # expect: env.inductor
export TORCHINDUCTOR_CUTLASS_DIR=/opt/cutlass # expect: env.no_effect
export TORCHINDUCTOR_CACHE_DIR=/tmp/cache # expect: env.keep
export TORCHINDUCTOR_COORDINATE_DESCENT_TUNING=1 # expect: env.keep
export TORCHINDUCTOR_NPU_BACKEND=mlir # ok: env.inductor, env.keep
export TORCHINDUCTOR_NPU_CATLASS_DIR=/opt/catlass # ok: env.inductor, env.keep
