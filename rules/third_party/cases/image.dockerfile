FROM python:3.10
RUN pip install --no-cache-dir flash-attn==2.5 numpy # expect: third_party.replacement
RUN pip install "some-thing-cuda110==1.2" # expect: third_party.unsupported
RUN conda install faiss-gpu # expect: third_party.replacement
