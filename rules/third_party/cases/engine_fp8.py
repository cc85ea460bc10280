import transformer_engine.pytorch as te  # expect: third_party.megatron_on_mindspeed

layer = te.Linear(2, 2)
with te.fp8_autocast(enabled=True):  # expect: third_party.transformer_engine_fp8
    layer(None)
