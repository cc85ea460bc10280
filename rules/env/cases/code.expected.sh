python -c "import torch; print(torch.cuda.device_count())" # expect: cuda.renamed
ASCEND_RT_VISIBLE_DEVICES=0 python3 -u -c 'import torch; torch.ones(2).cuda()' # expect: env.renamed, method.cuda
srun python -c "import torch; print(\"devices\", torch.cuda.device_count())" # expect: cuda.renamed
python -c "print(torch.cuda.device_count(" # ok: cuda.renamed
python - <<END
import torch
x = torch.zeros(1, device="cuda") # expect: device.string
END
cat > probe.py <<'END'
import torch
torch.cuda.synchronize() # expect: cuda.renamed
END
grep -c "import torch; torch.cuda.synchronize()" log # ok: cuda.renamed
python - "$WHERE" <<END
import torch
x = torch.zeros($SIZE).to("cuda") / ${SCALE} # expect: device.string
END
