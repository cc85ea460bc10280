"""What a newcomer types, mistakes included, in this order and one after another; what has to come of it.

A step: the line as typed in the folder of the newcomer; the exit code; what the output says, all of it; what is there afterwards ("-NAME": what is
not). The folder begins with a copy of samples/gpt_train and a tiny model, qwen3_hf.
"""

STEPS = [
    # Finding out what it is.
    ("migrator", 2, ["name a command, such as analyze or migrate", "migrator --help"], []),
    ("migrator --help", 0, ["Usage: migrator", "migrator analyze my_project", "Exit codes"], []),
    ("migrator version", 0, ["migrator 0."], []),
    ("migrator analyse gpt_train", 2, ['no command and no file "analyse"', 'did you mean "analyze"?'], []),
    ("migrator analyze gpt_trian", 4, ["no such file or directory", 'did you mean "gpt_train"?'], []),
    # Looking at the project.
    ("migrator gpt_train", 0, ["analysed gpt_train", "train.py: what it always runs can be rewritten automatically", "Next    migrator migrate gpt_train -o OUT"], ["-gpt_train_report"]),
    ("migrator analyze gpt_train --ouput x", 2, ["unexpected argument", 'did you mean "--output"?', "migrator analyze --help"], ["-x"]),
    ("migrator analyze gpt_train --report", 2, ["--report"], []),
    ("migrator analyze gpt_train --report review", 0, ["Report  review/report.html", "review/report.json"], ["review/report.html", "review/report.json"]),
    ("migrator analyze gpt_train --format html", 2, ["--report DIR does not say where"], []),
    ("migrator analyze gpt_train --fail-on eror", 2, ['did you mean "error"?'], []),
    ("migrator analyze gpt_train --fail-on error -q", 1, ["open at or above error", "6 findings, the first is"], []),
    ("migrator analyze qwen3_hf", 0, ["There is no code here, only settings", "Is this the directory of the project?"], []),
    ("migrator explain cuda.renamd", 2, ["no rule has the name 'cuda.renamd'", 'did you mean "cuda.renamed"?'], []),
    ("migrator explain method.cuda", 0, ["method.cuda"], []),
    # The first migration.
    ("migrator migrate gpt_train", 2, ["say where the result goes", "--output OUT", "--in-place"], []),
    ("migrator migrate gpt_train -o gpt_train", 2, ["the output directory is the project"], ["gpt_train/train.py"]),
    ("migrator migrate gpt_train -o gpt_train/npu", 2, ["name one outside of"], ["-gpt_train/npu"]),
    ("migrator migrate gpt_train --style portble -o npu", 2, ['did you mean "portable"?'], ["-npu"]),
    ("migrator migrate gpt_train -o npu", 0, ["migrated gpt_train to npu", "Report  npu_report/report.html", "work through what is left"],
     ["npu/train.py", "npu_report/report.html"]),
    ("migrator migrate gpt_train -o npu", 2, ["the output directory is not empty", "--force"], ["npu/train.py"]),
    ("migrator migrate gpt_train -o npu --force", 0, ["migrated gpt_train to npu"], ["npu/train.py"]),
    ("migrator migrate npu --check", 0, ["0 would change"], []),
    ("migrator undo npu", 4, ["these edits were made in the copy npu", "nothing to undo. Remove the copy"], ["npu/train.py"]),
    # Decided in the page, applied, taken back.
    ("migrator apply review -o applied_copy --decisions missing.json", 4, ["missing.json", "No such file"], ["-applied_copy"]),
    ("migrator apply review", 2, ["say where the result goes", "--output OUT or --in-place"], []),
    ("migrator apply review --in-place", 0, ["applied"], ["review/applied"]),
    ("migrator undo gpt_train", 4, ["no record of applied edits in it", "name the directory that `migrate` or `apply` has printed"], []),
    ("migrator undo review/applied", 0, ["restored"], []),
    ("migrator undo review/applied", 4, ["review/applied"], []),
    # Its weights.
    ("ckpt_convert", 2, ["INPUT OUTPUT", "ckpt_convert --help"], []),
    ("ckpt_convert verfy qwen3_hf", 2, ['no command and no checkpoint "verfy"', 'did you mean "verify"?'], ["-verfy"]),
    ("ckpt_convert Qwen/Qwen3-8B out", 4, ["Hugging Face Hub", "hf download Qwen/Qwen3-8B"], ["-out"]),
    ("ckpt_convert inspect qwen3_hf --summary", 0, ["qwen3_hf: Hugging Face checkpoint"], []),
    ("ckpt_convert qwen3_hf mcore --tp 3", 2, ["TP 3"], ["-mcore"]),
    ("ckpt_convert plan qwen3_hf mcore --tp 2 --pp 2", 0, ["nothing was written"], ["-mcore"]),
    ("ckpt_convert qwen3_hf mcore --tp 2 --pp 2", 0, ["converted", "look at it with: ckpt_convert inspect mcore"], ["mcore/latest_checkpointed_iteration.txt"]),
    ("ckpt_convert qwen3_hf mcore --tp 2 --pp 2", 2, ["the output directory is not empty", "name a new one"], ["mcore/latest_checkpointed_iteration.txt"]),
    ("ckpt_convert mcore qwen3_again", 0, ["converted", "Megatron"], ["qwen3_again/config.json"]),
    ("ckpt_convert verify qwen3_hf qwen3_again", 0, ["the same weights"], []),
]
