"""Tools of MCP servers: programs and addresses that the owner wrote into ``mcp.servers``.

Not a plugin, because the SDK has no place for what this needs: tools that change while the program
runs, keys out of the password store in the environment of a process, and the policy's verdict for
each tool apart. `server_session` and `stdio` touch the `mcp` package, and are imported when a
server is configured; everything else here knows only `values`.
"""
