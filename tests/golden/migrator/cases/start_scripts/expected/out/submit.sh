#!/bin/bash
#SBATCH -N 2
#SBATCH --gres=gpu:8
#SBATCH --time=01:00:00
srun --ntasks-per-node=8 python tools/a.py --lr 0.2
