"""What the screen tools say to the person."""

from __future__ import annotations

from moltbot_desktop.core.i18n import Phrases

PHRASES = Phrases(
    {
        "banner": "Moltbot is using your screen",
        "how_to_stop": "Shift+Esc stops it, or the pointer in the top left corner",
        "how_to_stop_corner": "To stop it, move the pointer into the top left corner",
        "stop": "Stop",
        "seen": "Looked at “{window}”: {count} controls.",
        "seen_none": "Looked at “{window}”; it does not tell what is in it.",
        "windows": "Open windows: {names}",
        "no_windows": "No other program has a window open.",
        "pressed": "Pressed in “{window}”: {names}",
        "typed": "Typed into “{window}”: {text}",
        "keys": "Pressed keys in “{window}”: {keys}",
        "scrolled": "Scrolled in “{window}”.",
        "dragged": "Dragged in “{window}”.",
        "picture": "Took a picture of the screen: {path}",
        "ask_press": "press in “{window}”: {what}",
        "ask_type": "type into “{window}”: “{what}”",
        "ask_keys": "press keys in “{window}”: {what}",
        "ask_scroll": "scroll in “{window}”",
        "ask_drag": "drag in “{window}”: {what}",
        "unclear": "I could not make out what to do on the screen.",
        "changed": "The screen is not as it was when I looked, so I left it alone.",
        "own": "That is a window of mine, and I may not press anything in it.",
        "silent": "Programs do not tell here what is in their windows: at-spi2-core is missing.",
        "broke": "The connection to the other programs broke.",
        "no_answer": "The screen does not answer.",
        "no_picture": "The screen gives no picture. Is it locked or switched off?",
        "not_pasted": "The program did not take the text.",
        "busy": "Another task is using the screen. Wait until it is done.",
        "no_banner": "My window does not answer, so I leave the screen alone.",
        "stopped": "You stopped me, so I let go of the screen.",
        "wayland": (
            "This desktop runs on Wayland, where no program may see or use the windows of others. "
            "Choose “Xorg” or “X11” when you log in, then I can."
        ),
        "no_display": "There is no screen here that I could see or use.",
        "other_system": "I can use the screen on Linux with X11, on Windows and on macOS only.",
        "no_library": "A part for using the screen is missing. Install it with: "
        "python3 packaging/dev.py run",
        "no_library_windows": "A part for using the screen is missing. Install it with: "
        "py packaging\\dev.py run",
        "no_automation": "The system's way to see what is in other windows does not start.",
        "hangs": "The other program does not answer.",
        "mac_control": (
            "macOS does not let me use other programs yet. Open System Settings > Privacy & "
            "Security > Accessibility, switch on the program that runs me (Python or the "
            "terminal), then ask again."
        ),
        "mac_picture": (
            "macOS does not let me see other windows yet. Open System Settings > Privacy & "
            "Security > Screen Recording, switch on the program that runs me (Python or the "
            "terminal), then start me again."
        ),
        "no_window": (
            "I use the screen only from the window, where you can watch me and stop me: start "
            "moltbot-desktop without a command."
        ),
    },
    {
        "banner": "Moltbot 正在使用你的屏幕",
        "how_to_stop": "按 Shift+Esc 或把鼠标移到左上角即可停止",
        "how_to_stop_corner": "把鼠标移到左上角即可停止",
        "stop": "停止",
        "seen": "查看了“{window}”：{count} 个控件。",
        "seen_none": "查看了“{window}”；它没有说明里面有什么。",
        "windows": "打开的窗口：{names}",
        "no_windows": "没有别的程序开着窗口。",
        "pressed": "在“{window}”里按了：{names}",
        "typed": "在“{window}”里输入了：{text}",
        "keys": "在“{window}”里按了键：{keys}",
        "scrolled": "在“{window}”里滚动了。",
        "dragged": "在“{window}”里拖动了。",
        "picture": "截了屏：{path}",
        "ask_press": "在“{window}”里按：{what}",
        "ask_type": "在“{window}”里输入：“{what}”",
        "ask_keys": "在“{window}”里按键：{what}",
        "ask_scroll": "在“{window}”里滚动",
        "ask_drag": "在“{window}”里拖动：{what}",
        "unclear": "我没弄清楚要在屏幕上做什么。",
        "changed": "屏幕和我刚才看到的不一样了，所以我没有动它。",
        "own": "那是我自己的窗口，我不能按里面的东西。",
        "silent": "这里的程序不说明窗口里有什么：缺少 at-spi2-core。",
        "broke": "与其他程序的连接断了。",
        "no_answer": "屏幕没有回应。",
        "no_picture": "截不到屏幕。它是不是锁定或关闭了？",
        "not_pasted": "程序没有接收这段文字。",
        "busy": "另一个任务正在使用屏幕。请等它完成。",
        "no_banner": "我的窗口没有回应，所以我不动屏幕。",
        "stopped": "你让我停下，我已放开屏幕。",
        "wayland": (
            "这个桌面运行在 Wayland 上，那里不允许程序查看或操作别的窗口。"
            "登录时选择“Xorg”或“X11”，我就可以了。"
        ),
        "no_display": "这里没有我能查看或操作的屏幕。",
        "other_system": "我只能在使用 X11 的 Linux、Windows 和 macOS 上操作屏幕。",
        "no_library": "缺少操作屏幕所需的组件。请这样安装：python3 packaging/dev.py run",
        "no_library_windows": "缺少操作屏幕所需的组件。请这样安装：py packaging\\dev.py run",
        "no_automation": "系统用来查看其他窗口内容的功能无法启动。",
        "hangs": "那个程序没有回应。",
        "mac_control": (
            "macOS 还不允许我操作别的程序。请打开“系统设置 > 隐私与安全性 > 辅助功能”，"
            "打开运行我的程序（Python 或终端），然后再让我试一次。"
        ),
        "mac_picture": (
            "macOS 还不允许我查看别的窗口。请打开“系统设置 > 隐私与安全性 > 屏幕录制”，"
            "打开运行我的程序（Python 或终端），然后重新启动我。"
        ),
        "no_window": "我只在窗口里操作屏幕，那样你能看到我在做什么，也能让我停下："
        "请不带命令启动 moltbot-desktop。",
    },
)
