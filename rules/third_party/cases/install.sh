python -m pip install "bitsandbytes>=0.43" # expect: third_party.ascend_fork
pip install rmm-cu12 # expect: third_party.unsupported
pip3 install -r requirements.txt pynvml # expect: third_party.replacement
sudo apt-get install -y --no-install-recommends cuda-toolkit-12-8 libcudnn9-cuda-12 git # expect: third_party.unsupported, third_party.unsupported
conda install -y -c nvidia nvidia::cuda-toolkit # expect: third_party.unsupported
git clone https://github.com/NVIDIA/apex && cd apex # expect: third_party.ascend_fork
