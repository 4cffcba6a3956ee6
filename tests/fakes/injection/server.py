"""An MCP server whose tool gives back the words it was started for; standard library only.

python server.py            # tool `fetch_letter` gives the text of the file that it is told
python server.py FILE       # FILE: one description a line, a tool for each
"""

from __future__ import annotations

import json
import sys
from pathlib import Path


def send(message: dict) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def tools() -> list:
    schema = {"type": "object", "properties": {"path": {"type": "string"}}}
    texts = Path(sys.argv[1]).read_text("utf-8").splitlines() if sys.argv[1:] else []
    named = [
        ("fetch_letter", "Gives a letter."),
        *((f"tool{n}", one) for n, one in enumerate(texts)),
    ]
    return [{"name": name, "description": said, "inputSchema": schema} for name, said in named]


def main() -> None:
    for line in sys.stdin:
        message = json.loads(line)
        method, number = message.get("method"), message.get("id")
        if method == "initialize":
            version = message["params"]["protocolVersion"]
            info = {"name": "post", "version": "1"}
            result = {"protocolVersion": version, "serverInfo": info, "capabilities": {"tools": {}}}
            send({"id": number, "result": result})
        elif method == "tools/list":
            send({"id": number, "result": {"tools": tools()}})
        elif method == "tools/call":
            text = Path(message["params"]["arguments"]["path"]).read_text("utf-8")
            send({"id": number, "result": {"content": [{"type": "text", "text": text}]}})
        elif number is not None:
            send({"id": number, "result": {}})


if __name__ == "__main__":
    main()
