#!/bin/sh
# python tools/b.py is started by accelerate
accelerate launch --num_processes=4 "$(dirname "$0")/tools/b.py" --quiet
