FROM python:3.10
RUN pip install --no-cache-dir flash-attn==2.5 numpy # expect: third_party.replacement
RUN conda install faiss-gpu # expect: third_party.replacement
