from setuptools import setup

extras = {"fast": ["flash-attn"]}
setup(
    name="train",
    install_requires=["numpy", "xformers>=0.0.20"],  # expect: third_party.replacement
    extras_require={"quant": ["bitsandbytes"]},  # expect: third_party.ascend_fork
    tests_require=["some-thing-cu12"],  # expect: third_party.unsupported
)
