"""The exceptions to the house rules, each with its reason.

Rule name -> {`module:qualname` relative to moltbot_desktop -> why}. An entry that no longer
excuses anything fails the test, so this list only holds what is true today.
"""

from __future__ import annotations

ALLOWED: dict[str, dict[str, str]] = {
    "broad-except": {
        "agent.dispatch:Dispatcher._call": "a tool's bug becomes a result the model can read",
        "agent.runner:AgentRunner.run": "a bug ends its run with an outcome, never the program",
        "gateway.commands.desk:CommandDesk._begun": "a command's bug becomes its answer, so that"
        " nobody waits for one and a message of a channel is over",
        "gateway.commands.desk:CommandDesk._ended": "the same for what was waited for",
        "app.memory_slot:SlottedMemory._opened": "a memory plugin's bug costs its engine; the"
        " program's own answers",
        "app.memory_slot:SlottedMemory.search": "the same while it is asked",
        "app.channel_probe:ChannelProbe._tried": "a plugin's bug is what came of trying it",
        "app.plugin_commands:PluginCommands.answer": "a plugin's bug becomes its answer",
        "app.plugin_tools:_made": "a plugin's bug costs its own tools, never an agent",
        "extensions.email.worker:Worker.call.carried_out": "whoever waits gets its error",
        "channels.supervised:SupervisedAccount._connected": "a plugin's bug costs its connection",
        "channels.pipe:PipeChannel._keep": "a bug costs its message alone; the thread goes on",
        "gateway.http.server:HttpServer._from_route": "a plugin's bug costs one answer",
        "gateway.http.openai_api:OpenAiApi._answering.page": "a bug costs one answer",
        "gateway.channel_desk:ChannelDesk._guarded": "a bug costs its message alone",
        "gateway.mail_desk:MailDesk._commit": "whoever asked for the commit gets its error",
        "gateway.postman:Postman._sent": "a channel's bug stops no other channel",
        "memory.keeper:MemoryKeeper._run": "a bug costs the index a pause, not all further upkeep",
        "models.thread:Job.step": "whoever waits for the job gets its error; the thread goes on",
        "tools.desktop.one_thread:_Running._run": "whoever asks gets the error; the thread goes on",
        "tools.desktop.one_thread:_Running.asked.job": "the same for one call of many",
        "qt.main_thread:MainThread.call.carry_out": "whoever asked gets the error; the main thread"
        " goes on",
        "plugins.hooks:HookBus._asked": "an extension's bug costs its answer, never the run",
        "plugins.hooks:HookBus._asked_now": "the same where nothing can be waited for",
        "plugins.internal:InternalHooks._call": "a hook's bug is told in the log, the others go on",
        "plugins.host:PluginHost._ended": "a plugin's service stops neither others nor the program",
        "tools.mcp.link:ServerLink._once": "a server's bug costs its own tools, never the program",
        "schedule.executor:CronExecutor._carry_out": "one job's bug must not end all jobs",
        "schedule.ticker:ReminderTicker._tell": "one listener's bug must not end all reminders",
        "qt.agent_thread:AgentThread.run": "the thread's last error is kept for the main thread",
    },
    "bounded-reads": {
        "app.agents_command:seed_workspace": "a file of the program's own",
        "app.plugins_command:_Desk.new": "a file of the program's own",
        "app.workspace_prompt:WorkspacePrompt._resource": "a file of the program's own",
        "channels.pipe:PipeChannel._read_all": "`LineReader` has the bound",
        "extensions.webchat.serving:page_files": "files of the program's own",
        "gateway.http.server:HttpServer._answer": "aiohttp answers 413 for what is too long",
        "gateway.http.openai_api:OpenAiApi._read": "aiohttp refuses what is too long",
        "models.machine:_text": "a file of the kernel",
        "models.machine:process_memory": "a file of the kernel",
        "models.machine:read_memory": "a file of the kernel",
        "security.sandbox.attempts:attempts": "it must not get there, whatever is to be had",
        "security.sandbox.family:_everybody": "a file of the kernel",
        "security.sandbox.family:_own_memory": "a file of the kernel",
        "sessions.library:StoredSessions._infos": "`IndexFile` has the bound",
        "sessions.library:StoredSessions.restore": "`IndexFile` has the bound",
        "sessions.store:SessionStore._continued": "`IndexFile` has the bound",
        "sessions.store:SessionStore.last_used": "`IndexFile` has the bound",
        "sessions.store:SessionStore.reading_ahead": "`IndexFile` has the bound",
        "sessions.store:SessionStore.settings": "`IndexFile` has the bound",
        "tools.browser.playwright:_uses": "a file of the kernel",
        "tools.clipboard:ClipboardTool.run": "what the owner copied; the desktop holds it anyway",
        "tools.documents.child:main": "the parent gives as much as a file may have, and this"
        " process has a limit of its own",
        "ui.icons:Icons.picture": "a file of the program's own",
        "ui.icons:Icons.sign": "a file of the program's own",
        "ui.theme:load_style_sheet": "a file of the program's own",
    },
    "cancellation": {},
    "imports-at-the-top": {
        "app.account_opener:AccountOpener.hosted.in_markup": "only a channel needs the parser",
        "__main__:entry": "a child of a frozen program needs neither window nor assistant",
        "app.browser_setup:_loaded": "an extra, and only who uses the browser needs it",
        "app.library:run_memory": "a search needs neither inbox nor doctor nor, mostly, a plugin",
        "app.web_server:open_web_server": "an extra, and only who switches the server on needs it",
        "app.model_setup:OpenEmbedder.close": "see ModelSetup._opened_embedder",
        "app.model_setup:ModelSetup._maker": "see ModelSetup._opened_embedder",
        "app.model_setup:ModelSetup._opened_embedder": "a local model needs no HTTP client",
        "app.screen_setup:Screen.__init__": "an extra, and only who has a screen needs it",
        "app.mcp:connector": "only who has MCP servers pays the second that their package takes",
        "app.terminal:Terminal._here": "an assistant that runs elsewhere answers without it",
        "app.acp_command:_Talk._assistant": "an editor is told at once what we can do, and an"
        " assistant that runs elsewhere answers without it",
        "app.main:_run_acp": "an extra, and only an editor needs it",
        "app.main:_of_a_plugin": "only who types a plugin's subcommand needs the plugins",
        "app.main:_carried_out": "a search in the shell needs no assistant, a terminal no Qt",
        "extensions.discord.plugin:register.opened": "an extra, and only who has a bot needs it",
        "extensions.discord.plugin:register.probe": "the same where settings are tried",
        "extensions.feishu.plugin:register.opened": "an extra, and only who has an app needs it",
        "extensions.feishu.plugin:register.probe": "the same where settings are tried",
        "extensions.matrix.plugin:register.opened": "an extra, and only who has one needs it",
        "extensions.matrix.plugin:register.probe": "the same where settings are tried",
        "extensions.signal.plugin:register.opened": "an extra, and only who has one needs it",
        "extensions.signal.plugin:register.probe": "the same where settings are tried",
        "extensions.slack.plugin:register.opened": "an extra, and only who has an app needs it",
        "extensions.slack.plugin:register.probe": "the same where settings are tried",
        "extensions.telegram.plugin:register.opened": "an extra, and only who has a bot needs it",
        "extensions.telegram.plugin:register.probe": "the same where settings are tried",
        "extensions.email.plugin:register.opened": "an extra, and only who has a mailbox needs it",
        "extensions.email.plugin:register.probe": "the same where settings are tried",
        "extensions.mattermost.plugin:register.opened": "an extra, and only who has a bot needs it",
        "extensions.mattermost.plugin:register.probe": "the same where settings are tried",
        "extensions.mqtt.plugin:register.opened": "an extra, and only who has a broker needs it",
        "extensions.mqtt.plugin:register.probe": "the same where settings are tried",
        "extensions.xmpp.plugin:register.opened": "an extra, and only who has an account needs it",
        "extensions.xmpp.plugin:register.probe": "the same where settings are tried",
        "extensions.webchat.plugin:register.opened": "an extra, and only who has it on needs it",
        "extensions.memory_lancedb.index:LanceIndex._opened": "the library takes seconds to load,"
        " and is an extra that most do not have",
        "models.probe:_try_chat": "only the child that tries a file renders its template; a search"
        " in the shell asks for the verdict alone",
        "tools.documents.child:text_of": "a process reads one document; each library takes long to"
        " load",
        "models.worker.roles:run_role": "asked at every start of a frozen program: llama.cpp and"
        " numpy are for its children alone",
    },
    "no-module-state": {},
    "threads-in-few-rooms": {
        "storage.watching:FolderWatch.__init__": "laying watches and waiting for the end of a burst"
        " takes time nobody else has; `stop` ends it",
        "extensions.email.worker:Worker.__init__": "libraries that block; `close` ends it",
        "channels.supervised:SupervisedAccount.__init__": "a plugin may block; `stop` ends it",
        "channels.supervised:SupervisedAccount.stop": "waits for it to end",
        "channels.pipe:PipeChannel.__init__": "a FIFO whose other end is closed blocks whoever"
        " reads or writes it; `stop` ends both",
        "channels.pipe:PipeChannel.stop": "waits for those two to end",
    },
    "time-from-the-clock": {
        "security.sandbox.launcher:Launcher.__init__": "see Launcher._is_time",
        "security.sandbox.launcher:Launcher._is_time": "a process of its own, without a clock of"
        " ours to be moved",
        "storage.locks:taken_lock": "waits some milliseconds for another process's file lock",
    },
}
