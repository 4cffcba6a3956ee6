"""Why something cannot be installed as a skill, and what to do, in English and Chinese.

    raise refused("no_skill", language, source=path)

A reason is said with `<key>`, its advice with `<key>_do`.
"""

from __future__ import annotations

from moltbot_desktop.core.errors import SkillInvalid
from moltbot_desktop.core.i18n import Language, Phrases

_PHRASES = Phrases(
    english={
        "not_there": "There is nothing at {source}.",
        "not_there_do": "Give a folder with a SKILL.md, a zip of one, or a git repository here.",
        "online": "I do not go to the network for this: {source}.",
        "online_do": "Fetch it yourself (git clone, or a zip), then give me the folder or the zip.",
        "unknown_kind": "{source} is neither a folder, nor a zip, nor a git repository.",
        "unknown_kind_do": "Unpack it yourself and give me the folder with the SKILL.md.",
        "bad_zip": "{source} is no zip that can be read ({reason}).",
        "bad_zip_do": "Fetch it again, or unpack it yourself and give me the folder.",
        "locked_zip": "{source} is locked by a password, which hides what is inside.",
        "locked_zip_do": "Do not trust it; ask whoever made it for an open one.",
        "no_git": "git is needed to read {source}, and it is not installed.",
        "no_git_do": "Install git, or give me a folder with the files.",
        "git_failed": "git cannot read {source}: {reason}",
        "git_failed_do": "Make a copy with `git clone` yourself and give me its folder.",
        "bad_name": "It holds a file whose name leads elsewhere or cannot be everywhere: {file}.",
        "bad_name_do": "Nothing was unpacked. Do not trust it, or rename that file.",
        "clash": "It holds two files that are one on many computers: {file} and {other}.",
        "clash_do": "Nothing was unpacked. Rename one of them.",
        "no_plain_file": "It holds {file}, which is a link or a device and no file.",
        "no_plain_file_do": "Nothing was unpacked. Put a copy in its place.",
        "too_many": "It holds more than {limit} files.",
        "too_many_do": "A skill is a few files; give me the folder that has its SKILL.md.",
        "too_large": "It is larger than {megabytes} MB when unpacked.",
        "too_large_do": "A skill is text and small programs; take large files out.",
        "unreadable": "{source} cannot be read ({reason}).",
        "unreadable_do": "Check the permissions of the file and its folder.",
        "no_skill": "There is no SKILL.md in {source}.",
        "no_skill_do": "Give the folder or zip that holds the SKILL.md of one skill.",
        "several": "There are several skills in it: {names}.",
        "several_do": "Say which one: skills install {source} NAME.",
        "not_among": "There is no skill {name} in it; there are: {names}.",
        "not_among_do": "Say one of these names.",
        "taken": "The folder {folder} belongs to the skill {name} already.",
        "taken_do": "Remove that one first, or rename the new one in its SKILL.md.",
        "not_installed": "No skill called {name} was installed.",
        "not_installed_do": "skills list shows where each one lies; one of your own you remove as"
        " a folder.",
        "nothing_before": "Nothing is kept of an earlier {name}.",
        "nothing_before_do": "Install it again from where you have it.",
        "exists": "There is a skill folder {folder} already.",
        "exists_do": "Choose another name, or edit its SKILL.md.",
    },
    chinese={
        "not_there": "{source} 处什么也没有。",
        "not_there_do": "请给出带 SKILL.md 的文件夹、它的 zip，或本机上的 git 仓库。",
        "online": "我不会为此上网：{source}。",
        "online_do": "请自己取下来（git clone 或 zip），再把文件夹或 zip 给我。",
        "unknown_kind": "{source} 既不是文件夹，也不是 zip，也不是 git 仓库。",
        "unknown_kind_do": "请自己解开，把带 SKILL.md 的文件夹给我。",
        "bad_zip": "{source} 不是能读取的 zip（{reason}）。",
        "bad_zip_do": "请重新取一份，或自己解开后把文件夹给我。",
        "locked_zip": "{source} 有密码，看不到里面是什么。",
        "locked_zip_do": "请不要信任它；向作者要一个没有密码的。",
        "no_git": "读取 {source} 需要 git，但没有安装。",
        "no_git_do": "请安装 git，或把文件夹给我。",
        "git_failed": "git 无法读取 {source}：{reason}",
        "git_failed_do": "请自己用 `git clone` 复制一份，把文件夹给我。",
        "bad_name": "里面有个文件名会指向别处，或不能在各种电脑上使用：{file}。",
        "bad_name_do": "什么都没有解开。请不要信任它，或给该文件改名。",
        "clash": "里面有两个文件在许多电脑上是同一个：{file} 和 {other}。",
        "clash_do": "什么都没有解开。请给其中一个改名。",
        "no_plain_file": "里面的 {file} 是链接或设备，不是文件。",
        "no_plain_file_do": "什么都没有解开。请换成副本。",
        "too_many": "里面的文件超过 {limit} 个。",
        "too_many_do": "技能只有几个文件；请给出带 SKILL.md 的那个文件夹。",
        "too_large": "解开后超过 {megabytes} MB。",
        "too_large_do": "技能是文字和小程序；请去掉大文件。",
        "unreadable": "无法读取 {source}（{reason}）。",
        "unreadable_do": "请检查该文件及其文件夹的权限。",
        "no_skill": "{source} 里没有 SKILL.md。",
        "no_skill_do": "请给出带有一个技能的 SKILL.md 的文件夹或 zip。",
        "several": "里面有好几个技能：{names}。",
        "several_do": "请说明要哪一个：skills install {source} 名字。",
        "not_among": "里面没有技能 {name}；有：{names}。",
        "not_among_do": "请说其中一个名字。",
        "taken": "文件夹 {folder} 已属于技能 {name}。",
        "taken_do": "请先移除那一个，或在新技能的 SKILL.md 里改名。",
        "not_installed": "没有安装过名为 {name} 的技能。",
        "not_installed_do": "skills list 会显示每个技能在哪里；你自己写的，删除其文件夹即可。",
        "nothing_before": "没有保留 {name} 以前的版本。",
        "nothing_before_do": "请从原来的地方重新安装。",
        "exists": "已有技能文件夹 {folder}。",
        "exists_do": "请换个名字，或修改它的 SKILL.md。",
    },
)


def refused(key: str, language: Language, **slots: object) -> SkillInvalid:
    """The error that tells it."""
    return SkillInvalid(
        _PHRASES.say(key, language, **slots),
        hint=_PHRASES.say(f"{key}_do", language, **slots),
    )
