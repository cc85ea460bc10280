#SBATCH --array=0-7%4
#SBATCH -G 8 # expect: launch.slurm_count
srun python train.py --count $SLURM_GPUS_ON_NODE # expect: env.slurm_gpus
