WHERE=${1:-cuda}
python train.py --run-on $WHERE
python train.py --run-on=cuda:0
if [ "$WHERE" = "cuda" ]; then echo gpu; fi
