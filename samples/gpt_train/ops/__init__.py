"""Custom CUDA operators; ``pip install ./ops`` builds them."""
