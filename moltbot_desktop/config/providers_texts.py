"""What a person reads about their settings for models at other addresses."""

from __future__ import annotations

from moltbot_desktop.core.i18n import Phrases

PHRASES = Phrases(
    english={
        "hint": "Until it is corrected in moltbot.json, this entry is not used.",
        "none": "none",
        "near": "; did you mean {name}?",
        "name": "a provider's name has letters, digits, “.”, “_” and “-”",
        "group": "expected settings in {{ }}",
        "list": "expected a list in [ ]",
        "text": "expected text",
        "flag": "expected true or false",
        "choice": "expected one of {choices}",
        "folder": "expected a whole path such as /home/you/model.gguf or ~/model.gguf",
        "whole_number": "expected a whole number",
        "whole_number_between": "expected a whole number from {low} to {high}",
        "url": "expected an address such as http://127.0.0.1:8080/v1",
        "plain_url": (
            "the address may hold no user name, password, “?” or “#”;"
            " a key belongs into apiKey, anything else into headers"
        ),
        "header": "a header needs a plain name and a value of printable ASCII characters",
        "api": "this version speaks “{supported}” only",
        "max_tokens_field": "expected max_tokens or max_completion_tokens",
        "key": 'expected "${{NAME}}", "keyring:NAME" or a key without spaces',
        "literal_key": "the key stands in the file in clear",
        "literal_key_hint": (
            'Safer: run “moltbot-desktop secrets set {name}” and write "keyring:{name}" here.'
        ),
        "clear_text": "the key would cross the network unencrypted",
        "clear_text_hint": "Use an https address if the server has one.",
        "variable": "the environment variable {name} is not set",
        "variable_hint": "Set {name}, or write the value into moltbot.json.",
        "unknown": "there is no such setting{meant}",
        "unknown_hint": "It is kept in moltbot.json and has no effect.",
        "unused": "this version does not use this setting",
        "unused_hint": "It is kept in moltbot.json and has no effect.",
        "ref": 'expected "provider/model"',
        "ref_hint": "Until it is corrected in moltbot.json, this model is not asked.",
        "no_provider": "there is no usable provider “{name}” (there is: {known})",
        "any_text": "expected text",
        "number_between": "expected a number from {low} to {high}",
        "mcp_name": (
            "the name of an MCP server has at most 24 small letters and digits, with single “-” or"
            " “_” between them"
        ),
        "mcp_target": "expected either a command or a url",
        "mcp_url": "expected an https address, or http on this computer, without a password in it",
        "no_provider_hint": "Add models.providers.{name}; until then this model is not asked.",
    },
    chinese={
        "hint": "在 moltbot.json 中改正之前，这一项不会使用。",
        "none": "无",
        "near": "；是不是 {name}？",
        "name": "提供方名称只能包含字母、数字、“.”、“_” 和 “-”",
        "group": "应为 {{ }} 中的一组设置",
        "list": "应为 [ ] 中的列表",
        "text": "应为文字",
        "flag": "应为 true 或 false",
        "choice": "应为 {choices} 之一",
        "folder": "应为完整路径，例如 /home/you/model.gguf 或 ~/model.gguf",
        "whole_number": "应为整数",
        "whole_number_between": "应为 {low} 到 {high} 之间的整数",
        "url": "应为地址，例如 http://127.0.0.1:8080/v1",
        "plain_url": (
            "地址中不能有用户名、密码、“?” 或 “#”；密钥请写在 apiKey 中，其他内容写在 headers 中"
        ),
        "header": "请求头需要普通名称，值只能是可打印的 ASCII 字符",
        "api": "这个版本只支持 “{supported}”",
        "max_tokens_field": "应为 max_tokens 或 max_completion_tokens",
        "key": '应为 "${{NAME}}"、"keyring:NAME" 或不含空格的密钥',
        "literal_key": "密钥以明文写在文件里",
        "literal_key_hint": (
            '更安全的做法：运行 “moltbot-desktop secrets set {name}”，这里写 "keyring:{name}"。'
        ),
        "clear_text": "密钥会不加密地经过网络",
        "clear_text_hint": "如果服务器有 https 地址，请使用它。",
        "variable": "环境变量 {name} 没有设置",
        "variable_hint": "请设置 {name}，或把值直接写进 moltbot.json。",
        "unknown": "没有这个设置{meant}",
        "unknown_hint": "它保留在 moltbot.json 中，但不起作用。",
        "unused": "这个版本不使用这个设置",
        "unused_hint": "它保留在 moltbot.json 中，但不起作用。",
        "any_text": "应为文字",
        "number_between": "应为 {low} 到 {high} 之间的数",
        "mcp_name": "MCP 服务器名最多 24 个小写字母和数字，中间可以有单个 “-” 或 “_”",
        "mcp_target": "command 和 url 应写其中一个",
        "mcp_url": "应为 https 地址，或这台电脑上的 http 地址，里面不能有密码",
        "ref": '应为 "提供方/模型"',
        "ref_hint": "在 moltbot.json 中改正之前，不会使用这个模型。",
        "no_provider": "没有可用的提供方 “{name}”（现有：{known}）",
        "no_provider_hint": "请添加 models.providers.{name}；在此之前不会使用这个模型。",
    },
)
