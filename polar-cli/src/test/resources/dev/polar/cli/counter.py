"""A tool server on standard input and output: one JSON-RPC message on each line, one tool."""
import json
import sys

TOOL = {
    "name": "count",
    "description": "Counts the characters of a text.",
    "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
}


def result(method, params):
    if method == "initialize":
        return {
            "protocolVersion": params.get("protocolVersion", "2025-06-18"),
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "counter", "version": "1"},
        }
    if method == "tools/list":
        return {"tools": [TOOL]}
    if method == "tools/call":
        text = "%d characters by the counter" % len(params["arguments"]["text"])
        return {"content": [{"type": "text", "text": text}]}
    return None


for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    answer = {"jsonrpc": "2.0", "id": message["id"]}
    told = result(message["method"], message.get("params") or {})
    if told is None:
        answer["error"] = {"code": -32601, "message": "no " + message["method"]}
    else:
        answer["result"] = told
    print(json.dumps(answer), flush=True)
