"""What the Matrix channel says to the person, in both languages.

raise refused("no_room", language, person="@ada:a.example")
"""

from __future__ import annotations

from moltbot_desktop.core.i18n import Phrases

PHRASES = Phrases(
    english={
        "no_login": "channels.matrix has neither an access token nor a user with a password.",
        "no_login_hint": "Enter an access token, or the user id and the password.",
        "away": "The Matrix server {server} cannot be reached.",
        "away_hint": "It is tried again; look whether the address is right and the server is on.",
        "broken": "The Matrix server did not answer as one ({reason}).",
        "broken_hint": "It is tried again; look whether the address is the homeserver's.",
        "address": "“{server}” is no address of a Matrix server.",
        "address_hint": "It looks like https://matrix.example.org.",
        "token": "The Matrix server does not take the access token any more.",
        "token_hint": "Log in again and enter the new access token, or user id and password.",
        "login": "The Matrix server does not take this user and password.",
        "login_hint": "Look whether both are right and the server allows logging in by password.",
        "limited": "The Matrix server asks to wait.",
        "limited_hint": "It is tried again later.",
        "too_long": "The message is longer than Matrix takes.",
        "too_large": "The Matrix server does not take a file of this size.",
        "gone": "The message or the room is not there any more.",
        "no_room": "There is no room with {person}.",
        "no_room_hint": "Have them write to the assistant first.",
        "refused": "The Matrix server refuses it ({reason}).",
        "unreadable": "A message of {person} in an encrypted room cannot be read: its key did not"
        " come.",
        "unreadable_hint": "If it does not come by itself, have it written again.",
        "untrusted": "A message of {person} came from a device that is not in trustedDevices, and"
        " was not heard.",
        "untrusted_hint": "Compare the session key with the person and add it there.",
        "keys": "The Matrix server does not take this device's encryption keys ({reason}).",
        "keys_hint": "The access token belongs to another program: use user id and password, or a"
        " token made for the assistant alone.",
        "file": "A file cannot be read: {reason}.",
        "not_a_file": "What should be the file is something else ({kind}).",
        "damaged": "The file does not fit its key: it was damaged or changed on the way.",
        "store": "The keys in {folder} cannot be read or written: {reason}.",
        "store_hint": "Make room on the disk; move the folder away if it is damaged, and the"
        " assistant gets a new device.",
    },
    chinese={
        "no_login": "channels.matrix 里既没有访问令牌，也没有用户和密码。",
        "no_login_hint": "请填写访问令牌，或填写用户 ID 和密码。",
        "away": "连不上 Matrix 服务器 {server}。",
        "away_hint": "会再试；请看看地址对不对、服务器是否开着。",
        "broken": "Matrix 服务器的回答不像 Matrix（{reason}）。",
        "broken_hint": "会再试；请看看地址是不是主服务器（homeserver）的。",
        "address": "“{server}”不是 Matrix 服务器的地址。",
        "address_hint": "它的样子是 https://matrix.example.org。",
        "token": "Matrix 服务器不再接受这个访问令牌。",
        "token_hint": "请重新登录并填写新的访问令牌，或填写用户 ID 和密码。",
        "login": "Matrix 服务器不接受这个用户和密码。",
        "login_hint": "请看看两者对不对，以及服务器是否允许用密码登录。",
        "limited": "Matrix 服务器要求等一等。",
        "limited_hint": "过一会儿会再试。",
        "too_long": "消息超过了 Matrix 能收的长度。",
        "too_large": "Matrix 服务器不收这么大的文件。",
        "gone": "那条消息或那个房间已经不在了。",
        "no_room": "没有和 {person} 的房间。",
        "no_room_hint": "请让对方先给助手写一条消息。",
        "refused": "Matrix 服务器拒绝了（{reason}）。",
        "unreadable": "{person} 在加密房间里的一条消息读不了：它的密钥没有到。",
        "unreadable_hint": "如果之后也没有到，请对方再写一次。",
        "untrusted": "{person} 的一条消息来自不在 trustedDevices 里的设备，没有理会。",
        "untrusted_hint": "请和对方核对会话密钥，再把它加进去。",
        "keys": "Matrix 服务器不收这台设备的加密密钥（{reason}）。",
        "keys_hint": "这个访问令牌属于别的程序：请用用户 ID 和密码，或只给助手用的令牌。",
        "file": "文件读不了：{reason}。",
        "not_a_file": "应当是文件的东西不是文件（{kind}）。",
        "damaged": "文件和它的密钥对不上：途中损坏了或被改过。",
        "store": "{folder} 里的密钥读不了或写不了：{reason}。",
        "store_hint": "请腾出磁盘空间；如果文件夹损坏了，就把它移走，助手会得到一台新设备。",
    },
)
