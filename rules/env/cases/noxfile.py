import nox


@nox.session
def tests(session):
    session.install("torch", "--index-url", "https://download.pytorch.org/whl/cu121")  # expect: launch.cuda_wheels_by_call
    session.install("torch==2.1.0+cu118")  # expect: launch.cuda_wheels_by_call
    session.conda_install("pytorch", "pytorch-cuda=12.1", channel="pytorch")  # expect: launch.cuda_wheels_by_call
    session.install("pytest", "--index-url", "https://download.pytorch.org/whl/cpu")  # ok: launch.cuda_wheels_by_call
    session.run("pip", "install", "cupy-cuda12x")  # expect: launch.cuda_wheels_by_call
