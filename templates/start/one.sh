processes=1
cores="$(nproc)"
