#!/usr/bin/env python3
"""Shows the model at OPENAI_BASE_URL a picture, lets it think aloud, asks for the number alone, and writes that down.

usage: agent.py INSTRUCTION PICTURE ANSWER_FILE     (standard library only)
"""
import base64
import json
import os
import re
import sys
import urllib.error
import urllib.request


def ask(messages):
    body = {"model": os.environ.get("OPENAI_MODEL", "default"), "messages": messages, "temperature": 1.0}
    request = urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", json.dumps(body).encode(), {
        "Content-Type": "application/json", "Authorization": "Bearer " + os.environ["OPENAI_API_KEY"]})
    try:
        with urllib.request.urlopen(request, timeout=600) as answer:
            message = json.load(answer)["choices"][0]["message"]
    except urllib.error.HTTPError as error:
        sys.exit(f"the model API answered {error.code}: {error.read().decode(errors='replace')}")
    except urllib.error.URLError as error:
        sys.exit(f"the model API cannot be reached: {error.reason}")
    messages.append(message)
    return message.get("content") or ""


def main(instruction, picture, answer_file):
    with open(picture, "rb") as file:
        shown = "data:image/png;base64," + base64.b64encode(file.read()).decode()
    messages = [{"role": "user", "content": [
        {"type": "text", "text": instruction}, {"type": "image_url", "image_url": {"url": shown}}]}]
    print(ask(messages))
    messages.append({"role": "user", "content": "Now write the number alone."})
    number = re.search(r"\d+", ask(messages))
    if not number:
        sys.exit("the model named no number")
    with open(answer_file, "w", encoding="utf-8") as file:
        file.write(number.group() + "\n")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
