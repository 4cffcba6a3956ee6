"""What the channel says to its owner, in both languages."""

from __future__ import annotations

from moltbot_desktop.core.i18n import Phrases

PHRASES = Phrases(
    english={
        "unreachable": "The XMPP server {host} cannot be reached: {reason}.",
        "unreachable_hint": "Check the address, and that this computer is online.",
        "slow": "{host} does not answer.",
        "certificate": "The certificate of {host} cannot be trusted.",
        "certificate_hint": "If the server is yours, name its certificate in `caFile`.",
        "ca_file": "The certificate file {file} cannot be read.",
        "ca_file_hint": "Correct `caFile` in the channel's settings.",
        "no_account": "It is not said which XMPP account to use.",
        "no_account_hint": "Set `jid`, such as molty@example.org, and `password`.",
        "login": "{host} does not take the password of {jid}.",
        "login_hint": "Correct `jid` and `password` in the channel's settings.",
        "ended": "{host} ended the connection.",
        "not_entered": "{room} cannot be entered: {reason}.",
        "put_out": "We were put out of {room}.",
        "not_taken": "{to} cannot be written to: {reason}.",
        "room_first": "{room} is not entered.",
        "room_first_hint": "Put it among `rooms` in the channel's settings.",
        "history": "{host} does not say what was written while we were away: {reason}.",
    },
    chinese={
        "unreachable": "连不上 XMPP 服务器 {host}：{reason}。",
        "unreachable_hint": "请检查地址，以及电脑是否联网。",
        "slow": "{host} 没有回应。",
        "certificate": "{host} 的证书不可信。",
        "certificate_hint": "如果服务器是你自己的，请在 `caFile` 里写上它的证书。",
        "ca_file": "读不了证书文件 {file}。",
        "ca_file_hint": "请在渠道设置里改正 `caFile`。",
        "no_account": "没有写要用哪个 XMPP 账号。",
        "no_account_hint": "请设置 `jid`（例如 molty@example.org）和 `password`。",
        "login": "{host} 不接受 {jid} 的密码。",
        "login_hint": "请在渠道设置里改正 `jid` 和 `password`。",
        "ended": "{host} 断开了连接。",
        "not_entered": "进不了 {room}：{reason}。",
        "put_out": "我们被请出了 {room}。",
        "not_taken": "不能发给 {to}：{reason}。",
        "room_first": "还没有进入 {room}。",
        "room_first_hint": "请在渠道设置的 `rooms` 里加上它。",
        "history": "{host} 没有给出离线期间的消息：{reason}。",
    },
)
