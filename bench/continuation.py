#!/usr/bin/env python3
"""Real agents against a simulated model that samples some of its tokens in two pieces: how many turns continue the ids of the turn before, `plain` against `exact`.

usage: bench/continuation.py [--agents shell,claude_code,...] [--turns N] [--sessions N] [--at-once N] [--non-canonical P] [--engine vllm|sglang] [--keep]

Starts a simulator and a server for each mode, has each agent make one shell call per turn, and prints a table in Markdown. With --keep both go on until Enter, so that the sessions can be looked at.
Needs what the agents need (Node.js and npm's registry, the first time). Standard library only.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
POLAR = os.path.join(HERE, "..", "polar")
SCRIPT_AGENT = os.path.join(HERE, "..", "examples", "calculator", "agent.py")

# Which tool runs a shell command, and how it takes it.
TOOLS = {
    "run": lambda command: {"command": command},
    "Bash": lambda command: {"command": command, "description": "Look at the next part"},
    "bash": lambda command: {"command": command, "description": "Look at the next part"},
    "run_shell_command": lambda command: {"command": command, "description": "Look at the next part", "is_background": False},
    "exec_command": lambda command: {"cmd": command},
    "shell": lambda command: {"command": ["bash", "-c", command]},
    "shell_command": lambda command: {"command": command},
}
WORDS = ("The next part of the report is about the catching of fishes; I am looking for what it says of their numbers, their weights and the weather.",
         "That was as I had expected it. Now the remaining measurements, beginning with the temperatures along the northern coast.",
         "Interesting: the values differ from those of yesterday. Let me compare both of them before I go on with the summary.")


def scenario(turns):
    rules = []
    for turn in range(1, turns):
        for tool, arguments in TOOLS.items():
            rules.append({"name": f"{tool}, turn {turn}", "when": {"turn": turn, "tools": [tool]}, "answer": {
                "text": WORDS[turn % len(WORDS)], "tool_calls": [{"name": tool, "arguments": arguments(f"echo 'part {turn}:' reading; expr {turn} '*' 7")}]}})
    rules.append({"name": "done", "when": {"turn": {"from": turns, "to": turns}}, "answer": {"text": "All the parts are read, and the report is complete."}})
    return {"description": "One shell call per turn, then a sentence.", "seed": 11, "rules": rules}


def topology(folder, url, mode, engine, at_once):
    return {
        "rollout": {"port": 0, "save_dir": os.path.join(folder, "results")},
        "gateway": {"heartbeat_interval_seconds": 2, "nodes": [{
            "id": "bench", "port": 0, "model_served": "sim", "max_init_workers": at_once, "max_run_workers": at_once, "max_postrun_workers": at_once,
            "inference": {"engine": engine, "base_url": url, "continuation": mode}}]}}


def task(agent, sessions, timeout):
    prepare = [{"type": "exec", "command": 'mkdir -p "$SESSION_DIR/workspace"', "cwd": "/polar/session"}]
    spec = {"harness": agent, "model_name": "sim"}
    if agent == "shell":
        prepare.append({"type": "upload_file", "source": SCRIPT_AGENT, "target": "/polar/session/agent.py"})
        spec["custom_shell"] = {"command": 'python3 "$SESSION_DIR/agent.py" {{INSTRUCTION}}', "cwd": "/polar/session/workspace"}
    return {"task_id": agent.replace("_", "-"), "instruction": "Read the report part by part with the shell, then say that you are done.", "num_samples": sessions,
            "timeout_seconds": timeout, "runtime": {"backend": "local", "workdir": "/polar/session/workspace", "prepare": prepare}, "agent": spec,
            "builder": {"strategy": "prefix_merging"}, "evaluator": {"strategy": "session_completed"}, "metadata": {"eval_sampling_seed_base": 1000}}


def call(method, url, body=None):
    request = urllib.request.Request(url, None if body is None else json.dumps(body).encode(), {"Content-Type": "application/json"}, method=method)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def start(*arguments):
    """A polar command that serves until it is stopped, and what it says when it is ready."""
    process = subprocess.Popen([POLAR, *arguments, "--json"], stdout=subprocess.PIPE, text=True)
    line = process.stdout.readline()
    if not line:
        sys.exit(f"polar {arguments[0]} did not start")
    return process, json.loads(line)


def measure(mode, options, folder):
    path = os.path.join(folder, "scenario.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(scenario(options.turns), file)
    sim, ready = start("sim", "--port", "0", "--engine", options.engine, "--scenario", path, "--non-canonical", str(options.non_canonical))
    server = None
    try:
        path = os.path.join(folder, f"{mode}.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(topology(os.path.join(folder, mode), ready["url"], mode, options.engine, options.at_once), file)
        server, ready = start("serve", "-c", path)
        tasks = {agent: task(agent, options.sessions, options.timeout) for agent in options.agents.split(",")}
        for body in tasks.values():
            call("POST", ready["url"] + "/rollout/task/submit", body)
        for agent, body in tasks.items():
            while (answer := call("GET", f"{ready['url']}/rollout/task/{body['task_id']}"))["status"] == "running":
                time.sleep(1)
            print(row(mode, agent, answer["results"]), flush=True)
        if options.keep:
            health = call("GET", ready["gateway"] + "/health")
            print(json.dumps({key: health.get(key) for key in ("continuation", "prefix_stability")}, indent=1), file=sys.stderr)
            print(f"{mode}: rollout server {ready['url']}, gateway {ready['gateway']}; Enter goes on", file=sys.stderr, flush=True)
            sys.stdin.readline()
    finally:
        for process in (server, sim):
            if process:
                process.terminate()
                process.wait(60)


def row(mode, agent, results):
    """Sums over an agent's sessions: a turn that follows one is exact where its tail is."""
    total = dict.fromkeys(("completions", "chains", "exact", "retokenized", "rewritten"), 0)
    breaks, whole, failed = {}, 0, 0
    for result in results:
        stats = (result.get("trajectory") or {}).get("metadata", {}).get("reconstruction_stats") or {}
        if result["status"] != "COMPLETED":
            failed += 1
            print(f"{agent}, {mode}: a session ended {result['status']}: {json.dumps(result.get('error') or result.get('message') or result.get('metadata'))[:1000]}", file=sys.stderr)
        whole += stats.get("chains_total") == 1
        for key, name in (("completions", "completions_merged"), ("chains", "chains_total"), ("exact", "tails_exact"), ("retokenized", "tails_retokenized"), ("rewritten", "tails_rewritten")):
            total[key] += stats.get(name, 0)
        for reason, count in (stats.get("breaks") or {}).items():
            breaks[reason] = breaks.get(reason, 0) + count
    follow = total["completions"] - (len(results) - failed)
    reasons = ", ".join(f"{reason} {count}" for reason, count in sorted(breaks.items()) if reason != "first")
    return (f"| {agent} | {mode} | {len(results)}{f' ({failed} failed)' if failed else ''} | {total['completions'] / max(1, len(results)):.1f} | {total['exact']} of {follow} "
            f"| {total['chains'] / max(1, len(results)):.1f} | {whole} | {reasons or 'none'} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--agents", default="shell,claude_code")
    parser.add_argument("--turns", type=int, default=9)
    parser.add_argument("--sessions", type=int, default=4)
    parser.add_argument("--non-canonical", type=float, default=0.1)
    parser.add_argument("--engine", default="vllm")
    parser.add_argument("--modes", default="plain,exact")
    parser.add_argument("--at-once", type=int, default=2, help="sessions that run side by side")
    parser.add_argument("--timeout", type=int, default=600, help="of a session, in seconds")
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    print("| agent | continuation | sessions | calls a session | turns exact | chains a session | sessions of one chain | other starts of chains |\n|---|---|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory(prefix="polar-continuation-") as folder:
        for mode in options.modes.split(","):
            measure(mode, options, folder)


if __name__ == "__main__":
    main()
