python -m pip install "bitsandbytes>=0.43" # expect: third_party.ascend_fork
pip3 install -r requirements.txt pynvml # expect: third_party.replacement
