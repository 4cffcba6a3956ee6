"""What a control of a page or a window is called, in the person's language.

    role_words("textbox", Language.CHINESE)      # "输入框"
    role_words("textbox", Language.ENGLISH)      # "textbox": the English words are the roles' own

Roles come from pages (ARIA) and from programs (AT-SPI); one that has no word here is told as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from moltbot_desktop.core.i18n import Language

_CHINESE: Mapping[str, str] = MappingProxyType(
    {
        "button": "按钮",
        "link": "链接",
        "textbox": "输入框",
        "searchbox": "搜索框",
        "entry": "输入框",
        "text": "文本框",
        "password text": "密码框",
        "document text": "文档",
        "terminal": "终端",
        "editbar": "输入框",
        "checkbox": "复选框",
        "check box": "复选框",
        "radio": "单选按钮",
        "radio button": "单选按钮",
        "combobox": "下拉框",
        "combo box": "下拉框",
        "listbox": "列表",
        "option": "选项",
        "list item": "列表项",
        "listitem": "列表项",
        "tree item": "树形项",
        "treeitem": "树形项",
        "table cell": "单元格",
        "cell": "单元格",
        "gridcell": "单元格",
        "row": "行",
        "menu": "菜单",
        "menu item": "菜单项",
        "menuitem": "菜单项",
        "check menu item": "菜单项",
        "radio menu item": "菜单项",
        "menuitemcheckbox": "菜单项",
        "menuitemradio": "菜单项",
        "button menu": "菜单按钮",
        "tool button": "按钮",
        "page tab": "选项卡",
        "tab": "选项卡",
        "slider": "滑块",
        "spin button": "数字框",
        "spinbutton": "数字框",
        "switch": "开关",
        "icon": "图标",
        "img": "图片",
        "heading": "标题",
        "label": "文字",
        "paragraph": "段落",
        "generic": "元素",
        "iframe": "内嵌页面",
        "focused": "已聚焦",
        "checked": "已勾选",
        "selected": "已选中",
        "expanded": "已展开",
        "pressed": "已按下",
    }
)


def role_words(role: str, language: Language) -> str:
    """The word for a role, or for the state that a control is in."""
    return _CHINESE.get(role, role) if language is Language.CHINESE else role
