# shellcheck shell=bash
# The environment of a run, computed for this job: micro batch {{mbs}}, sequence {{seq}}, hidden size {{hidden}}, {{world}} devices. Sourced by the scripts.
# What is set already stays, so that one run can have it otherwise: TASK_QUEUE_ENABLE=1 ./pretrain.sh

# Only what trains needs the other machines.
: "${MASTER_ADDR:?set it to the address of the first machine}"

{{cann}}

# One queue of kernels for a device, so that communication starts in the order in which the program asks for it. #? !fsdp2
export CUDA_DEVICE_MAX_CONNECTIONS="${CUDA_DEVICE_MAX_CONNECTIONS:-1}" #? !fsdp2
# Two queues: the weights of the next layer are gathered while this one computes. #? fsdp2
export CUDA_DEVICE_MAX_CONNECTIONS="${CUDA_DEVICE_MAX_CONNECTIONS:-2}" #? fsdp2
# Buffers of communication are given back without recordStream, so that gathered weights do not pile up. #? fsdp2
export MULTI_STREAM_MEMORY_REUSE="${MULTI_STREAM_MEMORY_REUSE:-2}" #? fsdp2
# Streams of a device: gathering, reducing and computing have their own. #? fsdp2
export STREAMS_PER_DEVICE="${STREAMS_PER_DEVICE:-32}" #? fsdp2
# MindSpeed-LLM takes its FSDP2 engine. #? fsdp2
export TRAINING_BACKEND="${TRAINING_BACKEND:-mindspeed_fsdp}" #? fsdp2
# Segments that grow, against fragmentation. They exclude max_split_size_mb and garbage_collection_threshold.
export PYTORCH_NPU_ALLOC_CONF="${PYTORCH_NPU_ALLOC_CONF:-expandable_segments:True}"
# The host queues operators in two stages and hides more of its time; takes a little more memory than 1, the default.
export TASK_QUEUE_ENABLE="${TASK_QUEUE_ENABLE:-2}"
# Threads of the host stay on the cores of their device; 0 where a container has other cores than the machine.
export CPU_AFFINITY_CONF="${CPU_AFFINITY_CONF:-2}"
# MB of a communication buffer: the largest message has {{hccl_payload}}, more than the default of 200. Each communicator takes it twice; less makes large collectives slow. #? larger_payload & !fsdp2
export HCCL_BUFFSIZE="${HCCL_BUFFSIZE:-{{hccl_payload}}}" #? larger_payload & !fsdp2
# MB of a communication buffer, instead of 200: with it memory suffices by estimate, as each communicator takes it twice; no message is larger. #? short_memory
export HCCL_BUFFSIZE="${HCCL_BUFFSIZE:-{{hccl_payload}}}" #? short_memory
# Seconds that processes wait for each other at the start, while one still prepares data or loads a checkpoint.
export HCCL_CONNECT_TIMEOUT="${HCCL_CONNECT_TIMEOUT:-{{connect_timeout}}}"
# Seconds that a collective waits for a rank that is late, for example while it saves a checkpoint.
export HCCL_EXEC_TIMEOUT="${HCCL_EXEC_TIMEOUT:-3600}"
# Ports of HCCL begin here. Give jobs that share a machine numbers that are 100 apart.
export HCCL_IF_BASE_PORT="${HCCL_IF_BASE_PORT:-60000}"
