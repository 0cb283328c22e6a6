#!/usr/bin/env python3
"""Lets six coding agents, each as it comes from npm, do the calculator task side by side, and prints what became of them.

    python3 examples/calculator/six_agents.py                      with a simulated model; needs Node.js 20 and npm
    python3 examples/calculator/six_agents.py --model-url http://127.0.0.1:8000 --engine vllm --model NAME
    python3 examples/calculator/six_agents.py --rollout-url http://127.0.0.1:8080        on a server that runs already

Standard library only. Exit status 1: a session did not complete.
"""
import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
POLAR = HERE.parents[1] / "polar"
AGENTS = ["codex", "claude_code", "qwen_code", "opencode", "gemini_cli", "pi"]
ENDED = {"COMPLETED", "ERROR", "TIMEOUT"}
HEAD = ["agent", "version", "reward", "sessions done", "completions", "traces, per_request", "traces, prefix_merging", "breaks", "seconds"]


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--agents", default=",".join(AGENTS), help="which, separated by commas (default: all six)")
    parser.add_argument("--samples", type=int, default=4, help="sessions of each (default: %(default)s)")
    parser.add_argument("--rollout-url", help="a running rollout server; otherwise one is started, and ended at the end")
    parser.add_argument("--model-url", help="a running model server; otherwise a simulated one is started")
    parser.add_argument("--engine", default="vllm", help="its kind: vllm or sglang (default: %(default)s)")
    parser.add_argument("--model", default="sim", help="the name that it serves (default: %(default)s)")
    chosen = parser.parse_args()
    chosen.agents = chosen.agents.split(",")
    for agent in chosen.agents:
        if not (HERE / f"task_{agent}.yaml").exists():
            parser.error(f"--agents: there is no task_{agent}.yaml in {HERE}")
    return chosen


class Service:
    """A polar command that runs until it is told to end."""

    def __init__(self, *arguments, **env):
        self.name = arguments[0]
        self.process = subprocess.Popen(
            [POLAR, *arguments, "--json"], cwd=HERE, env={**os.environ, **env}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)

    def ready(self):
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"polar {self.name} ended with status {self.process.wait()} before it was ready")
        return json.loads(line)

    def end(self):
        self.process.terminate()
        self.process.wait()


def get(url):
    headers = {}
    if "POLAR_CONTROL_PLANE_TOKEN" in os.environ:
        headers["X-Polar-Control-Token"] = os.environ["POLAR_CONTROL_PLANE_TOKEN"]
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=60) as answer:
        return json.load(answer)


def submit(agent, rollout, samples):
    """Its id."""
    task = f"calculator-{agent.replace('_', '-')}-{time.time_ns():x}"
    subprocess.run(
        [POLAR, "submit", HERE / f"task_{agent}.yaml", "--task-id", task, "--samples", str(samples), "--rollout-url", rollout, "--detach", "--json"],
        check=True, stdout=subprocess.DEVNULL)
    return task


def wait(tasks, rollout):
    """The end of each agent's task."""
    ended, seen, since = {}, None, time.monotonic()
    while len(ended) < len(tasks):
        states = collections.Counter()
        for agent, task in tasks.items():
            name = urllib.parse.quote(task, safe="")
            sessions = [session["status"] for session in get(f"{rollout}/tasks/{name}/sessions")["sessions"]]
            states.update(sessions)
            # The whole result, with all traces, is not asked for before it can be there.
            if agent not in ended and all(session in ENDED for session in sessions):
                task = get(f"{rollout}/rollout/task/{name}")
                if task["status"] not in ("running", "cancelling"):
                    ended[agent] = task
        if states != seen:
            seen = states
            told = ", ".join(f"{count} {state.lower()}" for state, count in sorted(states.items()))
            print(f"{time.monotonic() - since:6.0f} s  {told}", file=sys.stderr, flush=True)
        time.sleep(1)
    return ended


def row(agent, task):
    results = task["results"]
    count = len(results)
    versions, breaks, completions, requests, traces, rewards, seconds = set(), collections.Counter(), 0, 0, 0, [], 0.0
    for result in results:
        metadata = result["trajectory"]["metadata"]
        stats = metadata["reconstruction_stats"]
        versions.add((metadata.get("agent_result") or {}).get("version") or "?")
        breaks.update(stats["breaks"])
        completions += metadata["record_count"]
        # per_request makes one trace of each completion that trains.
        requests += stats["completions_total"]
        traces += metadata["trace_count"]
        rewards.append((metadata.get("evaluation") or {}).get("outcome_reward") or 0.0)
        seconds += result["timing"]["run_ms"] / 1000
    done = sum(result["status"] == "COMPLETED" for result in results)
    return [agent, ", ".join(sorted(versions)), f"{sum(rewards) / count:.2f}", f"{done} of {count}", completions, requests, traces,
            ", ".join(f"{reason} {times}" for reason, times in sorted(breaks.items())), f"{seconds / count:.1f}"]


def table(rows):
    rows = [[str(cell) for cell in row] for row in [HEAD, *rows]]
    widths = [max(len(row[i]) for row in rows) for i in range(len(HEAD))]
    lines = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |" for row in rows]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)


def main():
    chosen = options()
    services = []
    try:
        rollout = chosen.rollout_url
        if rollout is None:
            model = chosen.model_url
            if model is None:
                services.append(Service("sim", "--port", "0", "--engine", chosen.engine, "--scenario", "scenario.yaml"))
                model = services[-1].ready()["url"]
            services.append(Service("serve", "-c", "topology.yaml", POLAR_PORT="0", POLAR_GATEWAY_PORT="0",
                                    MODEL_URL=model, ENGINE=chosen.engine, MODEL=chosen.model))
            rollout = services[-1].ready()["url"]
        tasks = {agent: submit(agent, rollout, chosen.samples) for agent in chosen.agents}
        ended = wait(tasks, rollout)
    finally:
        for service in reversed(services):
            service.end()
    print(table([row(agent, ended[agent]) for agent in chosen.agents]))
    for agent in chosen.agents:
        for result in ended[agent]["results"]:
            if result["status"] != "COMPLETED":
                print(f"{agent}: {result['session_id']} is {result['status']}: {result.get('error')}")
    return 0 if all(result["status"] == "COMPLETED" for task in ended.values() for result in task["results"]) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (OSError, subprocess.CalledProcessError) as problem:
        sys.exit(f"{problem}")
    except KeyboardInterrupt:
        sys.exit(130)
