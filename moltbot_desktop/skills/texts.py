"""Why a skill cannot be used, and what to do about it, in English and Chinese.

A reason is said with `<key>`, its advice with `<key>_do`.
"""

from __future__ import annotations

from moltbot_desktop.core.i18n import Phrases

PHRASES = Phrases(
    english={
        "unreadable": "it cannot be read ({reason})",
        "unreadable_do": "Check the permissions of the file and its folder.",
        "not_a_file": "SKILL.md is not a regular file",
        "not_a_file_do": "Put a text file named SKILL.md there.",
        "bad_path": "the name of its folder is not UTF-8",
        "bad_path_do": "Rename the folder.",
        "too_large": "it is larger than {kilobytes} KB",
        "too_large_do": "Move long texts to other files of the skill's folder.",
        "not_utf8": "it is not UTF-8 text",
        "not_utf8_do": "Save it again with the encoding UTF-8.",
        "no_front_matter": "it does not begin with a block between two lines ---",
        "no_front_matter_do": "Begin the file with ---, name: …, description: …, ---.",
        "front_matter_too_large": "its front matter is larger than {kilobytes} KB",
        "front_matter_too_large_do": "Keep only name, description and metadata there.",
        "yaml": "its front matter is not valid YAML (line {line}, column {column})",
        "yaml_do": "Correct line {line}; put a text with : or # in quotes.",
        "yaml_no_place": "its front matter is not valid YAML",
        "yaml_no_place_do": "Write lines like name: …, one per setting.",
        "not_a_mapping": "its front matter is not a list of name: value lines",
        "not_a_mapping_do": "Write lines like name: …, one per setting.",
        "forbidden": "its front matter uses {what}, which skills may not (line {line})",
        "forbidden_do": "Write the value out in plain text.",
        "too_deep": "its front matter is nested more than {depth} levels deep",
        "too_deep_do": "Make it flatter.",
        "no_name": "it has no name",
        "no_name_do": "Add a line name: … of at most {longest} characters to its front matter.",
        "no_description": "it has no description, so nobody knows when to use it",
        "no_description_do": "Add a line description: … that says when it helps.",
        "same_name": "another skill in the same place is also called {name}",
        "same_name_do": "Give one of the two another name.",
        "too_many": "there are more than {limit} skills in this folder; the rest is left out",
        "too_many_do": "Move skills that you do not need elsewhere.",
        "too_many_files": "its folder holds more than {limit} files",
        "too_many_files_do": "Keep only what the skill needs there.",
        "too_deep_folder": "its folder is nested more than {depth} levels deep",
        "too_deep_folder_do": "Make it flatter.",
        "folder_too_large": "its folder is larger than {megabytes} MB",
        "folder_too_large_do": "Keep only what the skill needs there.",
        "strange_file": "its folder holds {file}, which is no file or a link to a folder",
        "strange_file_do": "Take it out, or put a copy in its place.",
    },
    chinese={
        "unreadable": "无法读取（{reason}）",
        "unreadable_do": "请检查该文件及其文件夹的权限。",
        "not_a_file": "SKILL.md 不是普通文件",
        "not_a_file_do": "请在那里放一个名为 SKILL.md 的文本文件。",
        "bad_path": "所在文件夹的名称不是 UTF-8",
        "bad_path_do": "请给文件夹改名。",
        "too_large": "文件超过 {kilobytes} KB",
        "too_large_do": "请把长文本移到该技能文件夹的其他文件中。",
        "not_utf8": "不是 UTF-8 文本",
        "not_utf8_do": "请用 UTF-8 编码重新保存。",
        "no_front_matter": "开头没有位于两行 --- 之间的说明块",
        "no_front_matter_do": "文件请以 ---、name: …、description: …、--- 开头。",
        "front_matter_too_large": "说明块超过 {kilobytes} KB",
        "front_matter_too_large_do": "说明块里只保留 name、description 和 metadata。",
        "yaml": "说明块不是有效的 YAML（第 {line} 行第 {column} 列）",
        "yaml_do": "请改正第 {line} 行；含有 : 或 # 的文字要加引号。",
        "yaml_no_place": "说明块不是有效的 YAML",
        "yaml_no_place_do": "请每行写一项，例如 name: …",
        "not_a_mapping": "说明块不是 name: value 形式的列表",
        "not_a_mapping_do": "请每行写一项，例如 name: …",
        "forbidden": "说明块使用了技能不允许的 {what}（第 {line} 行）",
        "forbidden_do": "请直接写出文字。",
        "too_deep": "说明块嵌套超过 {depth} 层",
        "too_deep_do": "请减少嵌套。",
        "no_name": "没有名称",
        "no_name_do": "请在说明块中加一行 name: …，最多 {longest} 个字符。",
        "no_description": "没有描述，无法知道何时使用",
        "no_description_do": "请加一行 description: …，说明何时有用。",
        "same_name": "同一位置的另一个技能也叫 {name}",
        "same_name_do": "请给其中一个换个名称。",
        "too_many": "此文件夹中的技能超过 {limit} 个，其余的被忽略",
        "too_many_do": "请把不需要的技能移到别处。",
        "too_many_files": "它的文件夹中有超过 {limit} 个文件",
        "too_many_files_do": "那里只保留该技能需要的内容。",
        "too_deep_folder": "它的文件夹嵌套超过 {depth} 层",
        "too_deep_folder_do": "请减少嵌套。",
        "folder_too_large": "它的文件夹超过 {megabytes} MB",
        "folder_too_large_do": "那里只保留该技能需要的内容。",
        "strange_file": "它的文件夹中有 {file}，它不是文件，或是指向文件夹的链接",
        "strange_file_do": "请把它取出，或换成副本。",
    },
)


class SkillTrouble(Exception):
    """A reason in this room's own words: a key of `PHRASES` and its slots."""

    def __init__(self, phrase: str, **slots: object) -> None:
        super().__init__(phrase)
        self.phrase = phrase
        self.slots = slots
