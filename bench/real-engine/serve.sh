#!/usr/bin/env bash
# usage: serve.sh FOLDER PORT [flags of vLLM]     (a plain kill ends it)
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
folder="$1" port="$2"
shift 2
export HF_HUB_OFFLINE=1 TRANSFORMERS_OFFLINE=1 VLLM_NO_USAGE_STATS=1 TORCHDYNAMO_DISABLE=1 VLLM_CPU_KVCACHE_SPACE=1 VLLM_CACHE_ROOT="$folder/cache"
# float32: in bfloat16 a log-probability depends on what else is in the batch.
exec "$folder/venv/bin/python" -m vllm.entrypoints.openai.api_server --host 127.0.0.1 --port "$port" --model "$folder/model" --served-model-name smollm2 \
  --dtype float32 --max-model-len 4096 --max-num-seqs 32 --enforce-eager --enable-auto-tool-choice --tool-call-parser hermes \
  --chat-template "$here/chatml.jinja" "$@"
