docker run --gpus all --runtime=nvidia server tritonserver --model-repository=/models # expect: launch.gpus_option, launch.container_runtime, serving.triton_server
tritonserver --model-repository=/models # ok: serving.triton_server
/usr/src/tensorrt/bin/trtexec --onnx=net.onnx --saveEngine=net.engine # expect: serving.trtexec
module load gcc/12 cuda/12.1 cudnn # expect: launch.modules, launch.modules
module load gcc/12 python # ok: launch.modules
module -q load nvhpc # expect: launch.modules
ml cuda11.8 # expect: launch.modules
ml load site/cuda-12 # expect: launch.modules
spack load cuda@12.1 # expect: launch.modules
source /opt/setup/cuda-12.1.sh # expect: launch.modules
source venv/bin/activate # ok: launch.modules
. ./cudnn.sh # expect: launch.modules
html cuda # ok: launch.modules
python train.py --device cuda:$RANK # expect: device.string
python train.py --device cuda:${LOCAL_RANK} --gpu "cuda:$1" # expect: device.string, device.string
python train.py --device cuda:$((i % 8)) # expect: device.string
python train.py --device cuda:$RANK-x # ok: device.string
