#!/usr/bin/env python3
"""A small coding agent: asks the model at OPENAI_BASE_URL, runs the tools that it calls, until it calls none.

usage: agent.py INSTRUCTION     (standard library only; works in the current folder)
"""
import json
import os
import subprocess
import sys
import urllib.error
import urllib.request

MAX_TURNS = 20
SYSTEM = "You are a coding agent. Work in the current folder with the tools you have; when you are done, say so in plain text."


def tool(name, description, **properties):
    return {"type": "function", "function": {"name": name, "description": description, "parameters": {
        "type": "object", "properties": {key: {"type": "string", "description": text} for key, text in properties.items()},
        "required": list(properties)}}}


TOOLS = [
    tool("read_file", "The content of a file.", path="relative path"),
    tool("write_file", "Replace a file's content.", path="relative path", content="the whole new content"),
    tool("run", "Run a shell command; gives its output and exit status.", command="the command"),
]


def read_file(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write_file(path, content):
    with open(path, "w", encoding="utf-8") as file:
        file.write(content)
    return f"wrote {len(content)} characters to {path}"


def run(command):
    done = subprocess.run(command, shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
    return f"{done.stdout}exit status {done.returncode}"


def call_tool(call):
    """The tool's result as text; what goes wrong is told to the model."""
    functions = {"read_file": read_file, "write_file": write_file, "run": run}
    try:
        return functions[call["function"]["name"]](**json.loads(call["function"]["arguments"]))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def ask(messages):
    body = {"model": os.environ.get("OPENAI_MODEL", "default"), "messages": messages, "tools": TOOLS, "temperature": 1.0}
    request = urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", json.dumps(body).encode(), {
        "Content-Type": "application/json", "Authorization": "Bearer " + os.environ["OPENAI_API_KEY"]})
    try:
        with urllib.request.urlopen(request, timeout=600) as answer:
            return json.load(answer)["choices"][0]["message"]
    except urllib.error.HTTPError as error:
        sys.exit(f"the model API answered {error.code}: {error.read().decode(errors='replace')}")
    except urllib.error.URLError as error:
        sys.exit(f"the model API cannot be reached: {error.reason}")


def main(instruction):
    messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": instruction}]
    for _ in range(MAX_TURNS):
        message = ask(messages)
        messages.append(message)
        calls = message.get("tool_calls") or []
        for call in calls:
            result = call_tool(call)
            print(f"{call['function']['name']}: {result.strip().splitlines()[-1] if result.strip() else ''}", flush=True)
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": result})
        if not calls:
            print(message.get("content") or "")
            return 0
    sys.exit(f"gave up after {MAX_TURNS} turns")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
