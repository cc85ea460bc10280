DEVICE ?= cuda # expect: device.string
NVCC = $(CUDA_HOME)/bin/nvcc # expect: env.similar, launch.nvcc
train:
	CUDA_VISIBLE_DEVICES=0 torchrun train.py --device $(DEVICE) --backend nccl # expect: env.renamed, backend.string
	docker run --gpus all --runtime=nvidia img # expect: launch.gpus_option, launch.container_runtime
ifeq ($(DEVICE),cuda) # expect: device.string
EXTRA = --amp
else ifneq "cuda" "$(DEVICE)" # expect: device.string
EXTRA = --x
endif
ifeq ($(KIND),cuda) # ok: device.string
endif
