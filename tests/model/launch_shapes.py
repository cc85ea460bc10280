"""Scripts as people write them: one job in many shapes, mistakes in each of them, and the sentences about it.

    launch_shapes.py [--all]         without --all each mistake is made in two shapes

A shape puts the options of a job that is right into texts, lists, functions, `case`, `eval`, a script that Slurm starts ... Nothing may be
found in it. A mistake changes one option: it must be found at the line where that option's value stands, with the right value, and --fix
must give back the script as it was, byte for byte, with its mode and without a line end at the end of the file.
"""

import json
import re
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checkpoints import Tensor, write_safetensors  # noqa: E402
from checks import ROOT, Checks, run, temporary_directory, tool  # noqa: E402

MODEL = {"model_type": "qwen3", "num_hidden_layers": 36, "hidden_size": 4096, "num_attention_heads": 32, "num_key_value_heads": 8,
         "intermediate_size": 12288, "vocab_size": 151936, "max_position_embeddings": 40960, "tie_word_embeddings": False,
         "head_dim": 128, "rms_norm_eps": 1e-6, "rope_theta": 1000000, "hidden_act": "silu"}
LAUNCHER = {"nproc_per_node": "8", "nnodes": "1", "node_rank": "0", "master_addr": "127.0.0.1", "master_port": "6000"}
OPTIONS = {
    "use-mcore-models": "", "spec": "mindspeed_llm.tasks.models.spec.qwen3_spec layer_spec", "tensor-model-parallel-size": "2",
    "pipeline-model-parallel-size": "2", "sequence-parallel": "", "use-distributed-optimizer": "", "num-layers": "36", "hidden-size": "4096",
    "ffn-hidden-size": "12288", "num-attention-heads": "32", "group-query-attention": "", "num-query-groups": "8", "kv-channels": "128",
    "qk-layernorm": "", "seq-length": "4096", "max-position-embeddings": "40960", "micro-batch-size": "1", "global-batch-size": "64",
    "make-vocab-size-divisible-by": "1", "padded-vocab-size": "151936", "rotary-base": "1000000", "untie-embeddings-and-output-weights": "",
    "disable-bias-linear": "", "swiglu": "", "normalization": "RMSNorm", "norm-epsilon": "1e-06", "position-embedding-type": "rope",
    "tokenizer-type": "PretrainedFromHF", "tokenizer-name-or-path": "/weights/qwen3", "load": "/weights/mcore", "save": "/weights/out",
    "data-path": "/data/corpus_text_document", "split": "100,0,0", "train-iters": "2000", "lr": "1.25e-6", "bf16": "", "use-flash-attn": "",
    "no-load-optim": "", "no-load-rng": "", "distributed-backend": "nccl"}
TORCHRUN = "torchrun " + " ".join(f"--{name} {value}" for name, value in LAUNCHER.items()) + " pretrain_gpt.py"


def words(options, before="--"):
    return [f"{before}{name} {value}".rstrip() for name, value in options.items()]


def lines(options, indent="    ", end=" \\"):
    return (end + "\n").join(indent + word for word in words(options))


def halves(options):
    names = list(options)
    return [{name: options[name] for name in part} for part in (names[:len(names) // 2], names[len(names) // 2:])]


def plain(options):
    return {"run.sh": f"{TORCHRUN} \\\n{lines(options)}\n"}


def texts(options):
    first, second = halves(options)
    return {"run.sh": f'LAUNCH="\n{lines(LAUNCHER, "    --")}\n"\n'.replace("    ----", "    --") + f'A="\n{lines(first)} \\\n"\nB="\n{lines(second)}\n"\n'
            'B="$B --log-throughput"\ntorchrun $LAUNCH pretrain_gpt.py \\\n    $A \\\n    $B \\\n    $MORE_ARGS\n'.replace(" \\\n    $MORE_ARGS", "")}


def lists(options):
    first, second = halves(options)
    quoted = "\n".join(f'    "{word}"' for word in words(second))
    return {"run.sh": f'A=(\n{lines(first, end="")}\n    # a comment\n)\nB=()\nB+=(\n{quoted}\n)\nif [ ! -f pretrain_gpt.py ]; then echo "no pretrain_gpt.py"; fi\n'
            f"{TORCHRUN} ${{A[@]}} ${{B[@]}}\n"}


def variables(options):
    """The values stand at the top, where the environment may give others."""
    named = {name: f"${{{name.replace('-', '_').upper()}}}" if value and " " not in value else value for name, value in options.items()}
    top = "".join(f"{name.replace('-', '_').upper()}=${{{name.replace('-', '_').upper()}:-{value}}}\n"
                  for name, value in options.items() if value and " " not in value)
    return {"run.sh": f"set -euo pipefail\n{top}ARGS=\"\n{lines(named)}\n\"\nexec {TORCHRUN} $ARGS ${{EXTRA_ARGS:-}} \"$@\"\n"}


def sourced(options):
    first, second = halves(options)
    return {"run.sh": f'HERE="$(cd "$(dirname "${{BASH_SOURCE[0]}}")" && pwd)"\nsource "$HERE/sizes.sh"\n{TORCHRUN} "${{SIZES[@]}}" \\\n{lines(second)} 2>&1 | cat\n',
            "sizes.sh": f"SIZES=(\n{lines(first, end='')}\n)\n"}


def evaluated(options):
    text = lines(options)
    return {"run.sh": f'options=" \\\n{text} \\\n"\nif [ -z "$FP32" ]; then\n    options="$options --log-throughput"\nfi\n'
            f'run_cmd="{TORCHRUN} $@ ${{options}}"\necho ${{run_cmd}}\neval ${{run_cmd}}\n'}


def batch(options):
    first, second = halves(options)
    return {"run.sh": f'#!/bin/bash\n#SBATCH --nodes=1 --ntasks-per-node=8   # a task for each device\nDATETIME=`date +%H`\noptions=" \\\n{lines(first)} \\\n'
            f'{lines(second)} \\\n    --log-throughput\n"\nrun_cmd="cd /work && python -u pretrain_gpt.py ${{options}}"\nsrun -l --output=/tmp/%x_$DATETIME.log sh -c "${{run_cmd}}"\n'}


def chosen(options):
    first, second = halves(options)
    size = {name: value for name, value in first.items() if name in ("num-layers", "hidden-size", "ffn-hidden-size")}
    rest = {name: value for name, value in first.items() if name not in size}
    return {"run.sh": f'MODEL=${{MODEL:-8B}}\nCONV=\ncase $MODEL in\n    0.6B) SIZE="--num-layers 28 --hidden-size 1024 --ffn-hidden-size 3072" ;;\n'
            f'    8B|8b)\n        SIZE="\n{lines(size)}"\n        ;;\n    *) echo no such model; exit 1 ;;\nesac\nif [[ "$MODEL" == "32B" ]] || [[ "$MODEL" == "14B" ]]; then\n'
            f'    SIZE="$SIZE --num-layers 64"\nelif [ -n "$CONV" ]; then\n    SIZE=""\nelse\n    OTHER="\n{lines(rest)}"\nfi\n{TORCHRUN} $SIZE $OTHER \\\n{lines(second)}\n'}


def started(options):
    """A script that another one starts with arguments."""
    return {"run.sh": '#!/bin/bash\n#SBATCH --nodes 1\n#SBATCH --ntasks-per-node=1\nexport MASTER_ADDR=127.0.0.1\nsrun bash train.sh /weights/mcore\n',
            "train.sh": f"CKPT=${{1:-/nowhere}}\n{TORCHRUN} \\\n{lines({**options, 'load': '$CKPT'})}\n"}


SHAPES = {shape.__name__: shape for shape in (plain, texts, lists, variables, sourced, evaluated, batch, chosen, started)}

# What is changed (None: it is left out), what is found, the option at whose value, what would be right, and whether --fix gives the script back.
MISTAKES = [
    ({"num-layers": "34"}, "num_layers", "num-layers", "36", True),
    ({"hidden-size": "4906"}, "hidden_size", "hidden-size", "4096", True),
    ({"ffn-hidden-size": "22016"}, "ffn_hidden_size", "ffn-hidden-size", "12288", True),
    ({"num-attention-heads": "40"}, "num_attention_heads", "num-attention-heads", "32", True),
    ({"num-query-groups": "4"}, "num_query_groups", "num-query-groups", "8", True),
    ({"kv-channels": "64"}, "kv_channels", "kv-channels", "128", True),
    ({"padded-vocab-size": "152064"}, "padded_vocab_size", "padded-vocab-size", "151936", True),
    ({"rotary-base": "10000"}, "rotary_base", "rotary-base", "1000000", True),
    ({"norm-epsilon": "1e-05"}, "norm_epsilon", "norm-epsilon", "1e-06", True),
    ({"normalization": "LayerNorm"}, "normalization", "normalization", "RMSNorm", True),
    ({"position-embedding-type": "learned_absolute"}, "position_embedding_type", "position-embedding-type", "rope", True),
    ({"tensor-model-parallel-size": "3"}, "world", "tensor-model-parallel-size", "sizes whose product divides 8", False),
    ({"pipeline-model-parallel-size": "8"}, "even_stages", "num-layers", "--num-layer-list, or 4 noop layers", False),
    ({"global-batch-size": "63"}, "global_batch", "global-batch-size", "62 or 64", False),
    ({"seq-length": "81920"}, "positions", "seq-length", "--max-position-embeddings of at least 81920", False),
    ({"load": "/weights/qwen3"}, "load_path", "load", "the directory that ckpt_convert convert wrote", False),
    ({"data-path": "/data/corpus_text_document.bin"}, "data_prefix", "data-path", "/data/corpus_text_document", True),
    ({"data-path": "/data/corpus"}, "data_prefix", "data-path", "/data/corpus_text_document", True),
    ({"train-iters": "2k"}, "bad_value", "train-iters", "a number", False),
    ({"tokenizer-type": "PretrainedFromHf"}, "bad_value", "tokenizer-type", "PretrainedFromHF", True),
    ({"qk-layernorm": None}, "qk_layernorm", None, "--qk-layernorm", False),
    ({"group-query-attention": None}, "group_query_attention", None, "--group-query-attention", False),
    ({"untie-embeddings-and-output-weights": None}, "untie_embeddings_and_output_weights", None, "--untie-embeddings-and-output-weights", False),
    ({"swiglu": None, "swigluu": ""}, "unknown_option", "swigluu", "--swiglu", False),
    ({"add-qkv-bias": ""}, "add_qkv_bias", "add-qkv-bias", "without it", False),
    ({"num-experts": "8"}, "num_experts", "num-experts", "without it", False),
    ({"expert-model-parallel-size": "2"}, "expert_parallel_dense", "expert-model-parallel-size", "1", False),
    ({"context-parallel-size": "2", "seq-length": "4098"}, "sequence_ring", "seq-length", "a multiple", False),
    ({"num-layers-per-virtual-pipeline-stage": "18"}, "virtual_smaller", "num-layers-per-virtual-pipeline-stage", "a smaller divisor", False),
    ({"recompute-granularity": "full"}, "recompute_method", "recompute-granularity", "--recompute-method uniform", False),
    ({"swap-optimizer": "", "use-distributed-optimizer": None}, "swap_optimizer", "swap-optimizer", "--use-distributed-optimizer", False),
    ({"num-layer-list": "16,16"}, "layer_list_sum", "num-layer-list", "numbers that add up to 36", False),
    ({"tokenizer-name-or-path": "@CONFIG@"}, "tokenizer_path", "tokenizer-name-or-path", "@MODEL@", False),
    ({"rope-scaling-type": "yarn"}, "rope_scaling_type", "rope-scaling-type", "without it", False),
    ({"bf16": "true"}, "extra_value", "bf16", "--bf16", False),
    ({"micro-batch-size": ""}, "no_value", "micro-batch-size", "a value", False),
    ({"moe-grouped-gemmm": ""}, "unknown_option", "moe-grouped-gemmm", "--moe-grouped-gemm", False),
]
IN_ONE_PLACE = ("load",)  # of `started` it is an argument


def checked(script, *more):
    done = run(tool("ckpt_convert"), "launch", "--check", script, "--model", script.parent.parent / "model", "--json", *more)
    return json.loads(done.stdout)["findings"] if done.returncode in (0, 1) else [{"id": "failed", "line": 0, "what": done.stderr, "severity": "error", "can_fix": False}]


def write(folder, files):
    for old in folder.glob("*"):
        old.unlink()
    for name, text in files.items():
        (folder / name).write_bytes(text.rstrip("\n").encode())
        (folder / name).chmod(0o750)


def place_of(folder, files, name, value):
    """Files and lines where the option stands, or its value in a variable."""
    marks = [f"--{name} {value}".rstrip() if value is not None else f"--{name}", f"--{name} $", f"{name.replace('-', '_').upper()}=${{"]
    return {(file, i + 1) for file, text in files.items() for i, line in enumerate(text.splitlines())
            if any(mark in line for mark in marks) and "CKPT" not in line}


def check_mistake(checks, folder, shape, mistake):
    change, wanted, at, right, gives_back = mistake
    model = folder.parent / "model"
    change = {name: value and value.replace("@CONFIG@", str(model / "config.json")) for name, value in change.items()}
    options = {name: value for name, value in {**OPTIONS, **change}.items() if value is not None}
    files = SHAPES[shape](options)
    write(folder, files)
    what = f"{shape}, {change}"
    found = [item for item in checked(folder / "run.sh") if item["id"] == wanted]
    if not checks.expect(found, f"{what}: {wanted} is not found"):
        return
    checks.expect(found[0]["right"].startswith(right.replace("@MODEL@", str(model))), f"{what}: right is {found[0]['right']}")
    if at is not None:
        places = place_of(folder, files, at, options.get(at))
        checks.expect((Path(found[0]["file"]).name, found[0]["line"]) in places, f"{what}: found at {found[0]['line']}, it stands at {sorted(places)}")
    before = {name: (folder / name).read_bytes() for name in files}
    fixed = run(tool("ckpt_convert"), "launch", "--check", folder / "run.sh", "--model", model, "--fix")
    checks.expect(fixed.returncode in (0, 1), f"{what}: --fix: {fixed.stderr}")
    if gives_back:
        write_right = SHAPES[shape](OPTIONS)
        for name, text in write_right.items():
            checks.equal((folder / name).read_text(), text.rstrip("\n"), f"{what}: --fix gives {name} back")
    checks.equal({path.name for path in folder.iterdir() if path.stat().st_mode & 0o777 != 0o750}, set(), f"{what}: --fix keeps modes")
    after = {name: (folder / name).read_bytes() for name in files}
    left = [item for item in checked(folder / "run.sh") if item["id"] == wanted]
    checks.expect(not (found[0]["can_fix"] and left), f"{what}: left after --fix: {left}")
    checks.expect(found[0]["can_fix"] or after == before or len(checked(folder / "run.sh")) > 0, f"{what}: --fix changes what it cannot")
    run(tool("ckpt_convert"), "launch", "--check", folder / "run.sh", "--model", model, "--fix")
    if not left:
        checks.equal({name: (folder / name).read_bytes() for name in files}, after, f"{what}: --fix once more changes nothing")


# Whole scripts, and what is found in them: (id, line).
RIGHT = "".join(f" {word}" for word in words(OPTIONS))
WITHOUT_LOAD = "".join(f" {word}" for word in words({name: value for name, value in OPTIONS.items() if name != "load"}))
SCRIPTS = [
    ("an empty line in a command", f"{TORCHRUN} --bf16 \\\n\n   {RIGHT.replace(' --bf16', '')}\n", [("shell", 1)]),
    ("values behind a switch", f"W='a b'\n{TORCHRUN}{RIGHT} --log-throughput yes it is --manual-gc $W\n", [("extra_value", 1), ("extra_value", 2)]),
    ("a variable that only the environment has", f"{TORCHRUN}{RIGHT} --wandb-project $PROJECT\n", [("shell", 1)]),
    ("what the batch system gives", f"{TORCHRUN}{RIGHT} --wandb-project $SLURM_JOB_NAME --wandb-exp-name \"$VC_JOB_ID\"\n", []),
    ("words that may be none", f"{TORCHRUN}{RIGHT} ${{EXTRA:-}} $(cat more) $@\n", []),
    ("arithmetic of what is not known", f"N=$(nproc)\n{TORCHRUN}{RIGHT} --num-workers $(( N / 4 )) --eval-iters $(( ${{T//_/}} / 2 ))\n", []),
    ("nothing behind a switch", f"{TORCHRUN}{RIGHT} --log-throughput $NOTHING \\\n  --manual-gc $NOR_THIS\n", []),
    ("what a command in a text prints into", f'run_cmd="cd /w && {TORCHRUN}{RIGHT} --log-throughput &>> $HOME/x.log"\neval "${{run_cmd}}"\n', []),
    ("groups without effect", f"{TORCHRUN}{RIGHT.replace(' --group-query-attention', '').replace('groups 8', 'groups 32')}\n", [("group_query_attention", 1), ("num_query_groups", 1)]),
    ("long texts with a sum in them", f'A="{RIGHT} --save-interval $((10*10)) --log-throughput --log-interval 1 --manual-gc"\n{TORCHRUN} $A\n', []),
    ("a default that is kept", f': "${{LAYERS:=36}}"\n{TORCHRUN}{RIGHT.replace("--num-layers 36", "--num-layers $LAYERS")}\n', []),
    ("commands that name the program", f"ls pretrain_gpt.py && cp pretrain_gpt.py /tmp\npkill -f pretrain_gpt.py\n{TORCHRUN}{RIGHT}\n", []),
    ("one of two parts", f"if nvidia-smi; then\n    A=(--lr 1e-5)\nelse\n    A=(--lr 1e-6)\nfi\n{TORCHRUN}{RIGHT.replace(' --lr 1.25e-6', '')} ${{A[@]}}\n", []),
    ("tasks and a launcher", f"#SBATCH --nodes=1\n#SBATCH --ntasks-per-node=8\nsrun {TORCHRUN}{RIGHT}\n", [("batch_tasks", 2)]),
    ("machines and a launcher", f"#SBATCH -N 2\n#SBATCH --ntasks-per-node=1\nsrun {TORCHRUN}{RIGHT}\n", [("batch_nodes", 3)]),
    ("tasks that do not divide", f"#SBATCH --nodes=1 --ntasks-per-node=6\nsrun python pretrain_gpt.py{RIGHT}\n", [("world", 2)]),
    ("a conversion of another layout", "python convert_ckpt_v2.py --load-model-type hf --save-model-type mg --target-tensor-parallel-size 4 --target-pipeline-parallel-size 2"
     f" --load-dir /weights/qwen3 --save-dir /weights/mcore --model-type-hf qwen3\n{TORCHRUN}{RIGHT}\n", [("converted_layout", 2)]),
    ("a conversion of 2024", "python convert_ckpt.py --model-type GPT --loader llama2_hf --saver megatron --target-tensor-parallel-size 4 --target-pipeline-parallel-size 2"
     f" --load-dir /weights/qwen3 --save-dir /weights/mcore --tokenizer-model /weights/qwen3/tokenizer.json --w-pack True\n{TORCHRUN}{RIGHT}\n", [("converted_layout", 2)]),
    ("a conversion that another one knows", "python convert_ckpt.py --model-type GPT --load-model-type hf --save-model-type mg --use-mcore-models --load-dir /w --save-dir /x"
     " --params-dtype bf16 --spec a.b layer_spec --model-type-hf qwen3 --mla-mm-split --orm\n", [("unknown_option", 1)]),
    ("a handler that is misspelt", "mkdir -p ./dataset\npython preprocess_data.py --input /d/x.parquet --tokenizer-name-or-path /w --output-prefix ./dataset/alpaca"
     " --workers 4 --handler-name AlpacaStyleInstructionHandlr --prompt-type qwen3\n", [("bad_value", 2)]),
    ("a handler that is left open", "python preprocess_data.py --input /d/x.parquet --tokenizer-name-or-path /w --output-prefix ./alpaca --handler-name ''\n", []),
    ("data without a folder", "python preprocess_data.py --input /d/x.parquet --tokenizer-name-or-path /w --output-prefix alpaca\n", [("output_directory", 1)]),
    ("data in a folder that nothing makes", "O=/no/where/alpaca\npython preprocess_data.py --input /d/x.parquet --tokenizer-name-or-path /w --output-prefix $O\n", [("output_directory", 1)]),
    ("data in a folder that is made", "O=/no/where\nmkdir -p $O/more\npython preprocess_data.py --input /d/x.parquet --tokenizer-name-or-path /w --output-prefix $O/alpaca\n", []),
    ("data in folders of one word", "mkdir -p /no/where/{x,y}/{1,2}\npython preprocess_data.py --input /d/x.parquet --tokenizer-name-or-path /w --output-prefix /no/where/y/2/alpaca\n", []),
    ("data in a folder that a function makes", "f() { mkdir -p /no/where; }\nf\npython preprocess_data.py --input /d/x.parquet --tokenizer-name-or-path /w --output-prefix /no/where/alpaca\n", []),
    ("data in a folder that is installed", "install -m 755 -d /no/where\npython preprocess_data.py --input /d/x.parquet --tokenizer-name-or-path /w --output-prefix /no/where/alpaca\n", []),
    ("data in a folder below another one", "mkdir -p nowhere && pushd nowhere\nmkdir -p a\npopd\npushd nowhere\npython preprocess_data.py --input /d/x.parquet"
     " --tokenizer-name-or-path /w --output-prefix a/alpaca\n", []),
    ("data in a folder that is none of them", "mkdir -p nowhere/{x,y}\ninstall -m 644 a nowhere/b\npython preprocess_data.py --input /d/x.parquet --tokenizer-name-or-path /w"
     " --output-prefix nowhere/z/alpaca\n", [("output_directory", 3)]),
    ("data in a folder that a command names", "O=/no/where/alpaca\nmkdir -p \"$(dirname \"$O\")\"\npython preprocess_data.py --input /d/x.parquet --tokenizer-name-or-path /w --output-prefix $O\n", []),
    ("samples that are packed", f"{TORCHRUN}{RIGHT} --neat-pack\n", [("packed_apart", 1)]),
    ("DPO from nothing", f"torchrun --nproc_per_node 8 posttrain_gpt.py{WITHOUT_LOAD.replace('corpus_text_document', 'pairs')} --stage dpo --is-pairwise-dataset --prompt-type qwen3\n",
     [("dpo_reference", 1)]),
    ("line ends of Windows", f"#!/bin/bash\r\n{TORCHRUN}{RIGHT}\r\n\r\n", [("shell", 1)]),
    ("a program whose path is a variable", f'P="/w/pretrain_gpt.py"\ntorchrun --nproc_per_node 8 "$P"{RIGHT.replace(" --qk-layernorm", "")}\n', [("qk_layernorm", 1)]),
    ("an option of another project", f'T=/x\n{TORCHRUN}{RIGHT} --data-cache-paht "$T" --moe-flex-dispatcher-backend "$T" --log-throughput\n',
     [("unknown_option", 2), ("other_target", 2)]),
    ("scripts that cannot be read", f'source ~/env.sh\n. "$HOME/x.sh"\nsource $CONF\nsource config.sh\nbash ./other.sh\nsource /\nsource my_set_env.sh\n'
     f'source "${{CONF:-/no/where.sh}}"\nsource $CONF\nsource "~/env.sh"\n{TORCHRUN}{RIGHT}\n', [("not_read", line) for line in (1, 2, 3, 4, 5, 6, 7, 8, 10)]),
    ("scripts that say nothing of the job", "source /usr/local/Ascend/ascend-toolkit/set_env.sh\nsource ~/Ascend/nnal/atb/set_env.sh\n. ~/.bashrc\nsource $HOME/.bashrc\n"
     'for ENV in /a/cann/set_env.sh "$HOME/Ascend/cann/set_env.sh"; do\n    [ ! -f "$ENV" ] || break\ndone\nsource "$ENV"\nsource activate job\nsource ./run.sh\n'
     f"source $HOME/miniconda3/etc/profile.d/conda.sh\n{TORCHRUN}{RIGHT}\n", []),
    ("scripts that need not be there", "[ -f config.sh ] && . config.sh\nif [ -f conf/a.sh ]; then\n    echo found\n    source conf/a.sh\nfi\n"
     f"if [[ ! -f b.sh ]]; then exit 1; fi\nsource b.sh\n[ -f c.sh ] || exit 1\nsource c.sh\n{TORCHRUN}{RIGHT}\n", [("not_read", 7), ("not_read", 9)]),
    ("what a script that is not read may set", f'source "$HOME/x.sh"\nA="{RIGHT}"\nmkdir -p $MADE\n{TORCHRUN} $A --wandb-project $PROJECT --save-interval ${{SAVE:-x}} --lr-decay-iters $D | tee /no/where/log\n',
     [("not_read", 1)]),
    ("options that a script that is not read may set", f'source "$CONF"\nA="$GPT_ARGS --log-throughput"\ntorchrun $LAUNCH pretrain_gpt.py $A --num-layers 36 --hidden-size 4096 --load /weights/qwen3'
     ' --bf16 $MORE --data-path /data/corpus --tokenizer-name-or-path /weights/qwen3 --global-batch-size 63 --num-experts 8 --swap-optimizer\npython evaluation.py --num-layers 36 "${TASKS[@]}"\n',
     [("not_read", 1), ("num_experts", 3)]),
    ("what is wrong for sure beside a script that is not read", f'source "$CONF"\n{TORCHRUN}{RIGHT.replace("--num-layers 36", "--num-layers 32")} --no-such $MORE\n'
     f"export HCCL_BUFFSIZE=0\n", [("not_read", 1), ("num_layers", 2), ("unknown_option", 2), ("variable_value", 3)]),
    ("options that are missing all the same", f'source "$CONF"\n{TORCHRUN}{RIGHT.replace(" --qk-layernorm", "")} --lr-decay-iters $D $@\n', [("not_read", 1), ("qk_layernorm", 2)]),
    ("a script that is started sets nothing", f'bash prepare.sh\n{TORCHRUN}{RIGHT} --wandb-project $PROJECT\n', [("not_read", 1), ("shell", 2)]),
    ("a loop gives a variable its value", f"for N in 1 2; do\n{TORCHRUN}{RIGHT} --num-workers $N\ndone\n", []),
    ("a layout that only the run knows", "python convert_ckpt_v2.py --load-model-type hf --save-model-type mg --target-tensor-parallel-size $(nproc) --target-pipeline-parallel-size 2 --load-dir /weights/qwen3"
     f" --save-dir /weights/mcore --model-type-hf qwen3\n{TORCHRUN}{RIGHT}\n", []),
    ("a name that is near and not meant", f"{TORCHRUN}{RIGHT} --g2-window-size 128\n", [("unknown_option", 1)]),
]


def check_scripts(checks, folder):
    for what, text, wanted in SCRIPTS:
        script = folder / "run.sh"
        write(folder, {})
        script.write_bytes(text.encode())
        found = checked(script)
        checks.equal(sorted((item["id"], item["line"]) for item in found), sorted(wanted), f"{what}: {[item['what'] for item in found]}")
        run(tool("ckpt_convert"), "launch", "--check", script, "--model", folder.parent / "model", "--fix")
        left = {(item["id"], item["line"]) for item in checked(script)}
        open_ones = {(item["id"], item["line"]) for item in found if not item["can_fix"]}
        checks.equal(left, open_ones, f"{what}: left after --fix of {script.read_text()}")
        checks.expect(run("bash", "-n", script).returncode == 0, f"{what}: bash reads it after --fix")
        if "data-cache-paht" in text:
            checks.equal(script.read_text(), text.replace("paht", "path").replace('--moe-flex-dispatcher-backend "$T"', " "), f"{what}: --fix takes the value away as well")


def check_not_read(checks, folder):
    """What is said of a script that is not read, in both languages, and that it is no all-clear."""
    write(folder, {"run.sh": f"source x/env.sh\n{TORCHRUN}{RIGHT}\n", "none.sh": 'source "$CONF"\ntorchrun $PROGRAM\n',
                   "deep.sh": f"source ./0.sh\n{TORCHRUN}{RIGHT}\n", **{f"{i}.sh": f"source ./{i + 1}.sh" for i in range(8)}, "8.sh": "A=1"})
    model = folder.parent / "model"
    for words, said in (((), "run.sh:1: warning: x/env.sh was not found: what it sets is not known\n    right: the file at this path, seen from the folder of the script or from the current one\n"
                         "1 program for MindSpeed-LLM (mcore): 0 errors, 1 warning, 0 for advice\n"),
                        (("--lang", "zh"), "run.sh:1: 警告: 没有找到 x/env.sh，因此不知道其中设置了什么\n    正确：")):
        done = run(tool("ckpt_convert"), "launch", "--check", "run.sh", "--model", model, *words, cwd=folder)
        checks.equal((done.returncode, done.stdout[:len(said)]), (1, said), f"not read, {words}")
    (folder / "x").mkdir()
    (folder / "x/env.sh").write_text("export HCCL_BUFFSIZE=0\n")
    # Beside the script, and where the check is started.
    for cwd, script in ((folder.parent, folder / "run.sh"), (folder, "../elsewhere/run.sh")):
        (folder.parent / "elsewhere").mkdir(exist_ok=True)
        (folder.parent / "elsewhere/run.sh").write_text((folder / "run.sh").read_text())
        done = run(tool("ckpt_convert"), "launch", "--check", script, "--model", model, "--json", cwd=cwd)
        checks.equal([item["id"] for item in json.loads(done.stdout)["findings"]], ["variable_value"], f"read, {script}")
    (folder / "x/env.sh").unlink()
    (folder / "x").rmdir()
    found = [(Path(item["file"]).name, item["id"], item["what"]) for item in checked(folder / "deep.sh")]
    checks.equal(found, [("6.sh", "not_read", "./7.sh cannot be read: what it sets is not known")], "scripts that source each other")
    done = run(tool("ckpt_convert"), "launch", "--check", folder / "none.sh", "--model", model)
    checks.expect(done.returncode == 2 and "as far as it can be read: only the run knows where $CONF lies" in done.stderr, f"no program: {done.stderr}")


def check_chinese(checks, folder):
    """Of every variable of the table, what is said of a value that is wrong, of two values and of a pair: no English is left in it."""
    rows = [row for table in json.loads((ROOT / "rules/env/values.json").read_text())["tables"] if table["match"] == "variable_value" for row in table["rows"]]
    values = [(row["name"], value) for row in rows for value in ("@", "99999999999", *(f"{key}:@" for key in row.get("options", ())))]
    pairs = [(name, "1") for row in rows for other in row.get("not_beside", ()) for name in (row["name"], other["other"])]
    text = "".join(f"export {name}={value}\n" for name, value in [*values, *pairs, ("NCCL_DEBUG", "1"), ("HCCL_BUFFSIZE", "1")])
    write(folder, {"run.sh": f"{text}{TORCHRUN}{RIGHT} --wandb-project $PROJECT\n"})
    done = run(tool("ckpt_convert"), "launch", "--check", folder / "run.sh", "--lang", "zh")
    said = [re.sub(r"^\S+:\d+: |`[^`]*`", "", line) for line in done.stdout.splitlines()]
    checks.expect(len(said) > 2 * len(rows), f"too little is said: {done.stdout[-300:]}")
    checks.equal([line for line in said if re.search(r"[a-z]{2,} [a-z]{2,}", line)], [], "English in Chinese")


PHI = {"model_type": "phi3", "num_hidden_layers": 4, "hidden_size": 384, "num_attention_heads": 4, "num_key_value_heads": 4, "intermediate_size": 768,
       "vocab_size": 32064, "max_position_embeddings": 131072, "original_max_position_embeddings": 4096, "rms_norm_eps": 1e-5, "rope_theta": 10000.0,
       "hidden_act": "silu", "tie_word_embeddings": False, "rope_scaling": {"type": "longrope", "long_factor": [1.5, 2.25], "short_factor": [1.0, 1.0625]}}


def check_factors(checks, work):
    """A list of a configuration is one word: the program splits it at commas."""
    (work / "phi").mkdir()
    (work / "phi/config.json").write_text(json.dumps(PHI))
    done = run(tool("ckpt_convert"), "launch", work / "phi", work / "phi_set", "--devices", "8")
    if checks.expect(done.returncode == 0, f"longrope: {done.stderr}"):
        sizes = (work / "phi_set/model.sh").read_text()
        checks.expect("--long-factor '1.5,2.25'" in sizes and "--short-factor '1,1.0625'" in sizes, f"longrope: {sizes}")
        found = run(tool("ckpt_convert"), "launch", "--check", work / "phi_set/pretrain.sh", "--model", work / "phi", "--json")
        checks.equal(json.loads(found.stdout)["findings"], [], "longrope: nothing is wrong")


# What only a model of experts, or one without attention, is told of.
MOE = {**MODEL, "model_type": "qwen3_moe", "num_hidden_layers": 4, "num_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 768,
       "mlp_only_layers": [0], "decoder_sparse_step": 1, "norm_topk_prob": True}
MAMBA = {"model_type": "mamba2", "num_hidden_layers": 64, "hidden_size": 2560, "vocab_size": 50288, "state_size": 128, "head_dim": 64, "n_groups": 1,
         "expand": 2, "conv_kernel": 4, "chunk_size": 256, "num_heads": 80, "layer_norm_epsilon": 1e-5, "rms_norm": True, "tie_word_embeddings": True}
OF_FAMILIES = [(MOE, "megatron_adaptor.py pretrain_gpt.py --num-layers 4 --moe-layer-freq '([0]*1+[1]*3)'", "moe_layer_freq", False),
               (MOE, "megatron_adaptor.py pretrain_gpt.py --num-layers 4 --moe-layer-freq '([0]*2+[1]*2)'", "moe_layer_freq", True),
               (MAMBA, "pretrain_mamba.py --num-layers 64 --group-query-attention --num-query-groups 8 --num-attention-heads 16 --swiglu", "num_attention_heads", False),
               (MAMBA, "pretrain_mamba.py --num-layers 48 --num-attention-heads 16", "num_layers", True)]


def check_families(checks, folder):
    model = folder.parent / "other"
    model.mkdir()
    for config, command, name, is_wrong in OF_FAMILIES:
        (model / "config.json").write_text(json.dumps(config))
        write(folder, {"run.sh": f"torchrun --nproc_per_node 8 {command}\n"})
        done = run(tool("ckpt_convert"), "launch", "--check", folder / "run.sh", "--model", model, "--json")
        found = {item["id"] for item in json.loads(done.stdout)["findings"]} if done.returncode in (0, 1) else {done.stderr}
        checks.expect((name in found) == is_wrong, f"{command}: {sorted(found)}")
        checks.expect(not found & {"group_query_attention", "num_query_groups", "swiglu"} or config is MOE, f"{command}: {sorted(found)}")


# What a download leaves in place of a file.
BROKEN_DOWNLOADS = {"a pointer": b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n", "a page": b"<!DOCTYPE html>\n<html>\n", "empty": b"",
                    "compressed": b"\x1f\x8b\x08\x00"}


def check_tokenizers(checks, folder):
    """Weights without a tokenizer are no model to train; a config.json alone stands for a directory elsewhere."""
    endings = json.loads((ROOT / "rules/launch/launch.json").read_text())["tokenizer_files"]
    given = folder.parent / "given"
    shutil.copytree(folder.parent / "model", given)

    def found():
        write(folder, SHAPES["plain"]({**OPTIONS, "tokenizer-name-or-path": str(given)}))
        return [(item["id"], item["severity"]) for item in checked(folder / "run.sh") if item["id"] in ("no_tokenizer", "tokenizer_file")]

    checks.equal(found(), [], "config.json alone")
    write_safetensors(given / "model.safetensors", {"model.norm.weight": Tensor("BF16", (2,), bytes(4))})
    (given / "tokenizer_config.json").write_text("{}")
    checks.equal(found(), [("no_tokenizer", "error")], "weights without a tokenizer")
    for what, broken in BROKEN_DOWNLOADS.items():
        (given / "tokenizer.json").write_bytes(broken)
        checks.equal(found(), [("tokenizer_file", "error")], f"a tokenizer that is {what}")
    (given / "tokenizer.json").unlink()
    for ending in endings:
        (given / f"a{ending}").write_text("{}")
        checks.equal(found(), [], f"a{ending}")
        (given / f"a{ending}").unlink()


def main():
    checks = Checks()
    shapes = list(SHAPES)
    with temporary_directory() as directory:
        folder = Path(directory) / "job"
        folder.mkdir()
        (Path(directory) / "model").mkdir()
        (Path(directory) / "model/config.json").write_text(json.dumps(MODEL))
        for name, shape in SHAPES.items():
            write(folder, shape(OPTIONS))
            found = checked(folder / "run.sh")
            checks.equal(found, [], f"{name}: nothing is wrong")
        for i, mistake in enumerate(MISTAKES):
            for shape in shapes if "--all" in sys.argv else (shapes[i % len(shapes)], shapes[(i * 4 + 3) % len(shapes)]):
                if not (shape == "started" and set(mistake[0]) & set(IN_ONE_PLACE)):
                    check_mistake(checks, folder, shape, mistake)
        check_tokenizers(checks, folder)
        check_scripts(checks, folder)
        check_not_read(checks, folder)
        check_chinese(checks, folder)
        check_factors(checks, Path(directory))
        check_families(checks, folder)
    checks.finish()


if __name__ == "__main__":
    main()
