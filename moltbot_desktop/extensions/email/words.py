"""What the channel says to its owner, in both languages."""

from __future__ import annotations

from moltbot_desktop.core.i18n import Phrases

PHRASES = Phrases(
    english={
        "unreachable": "The mail server {host}:{port} cannot be reached: {reason}.",
        "unreachable_hint": "Check the address, and that this computer is online.",
        "certificate": "The certificate of {host} cannot be trusted.",
        "certificate_hint": "If the server is yours, name its certificate in `caFile`.",
        "ca_file": "The certificate file {file} cannot be read.",
        "ca_file_hint": "Correct `caFile` in the channel's settings.",
        "no_account": "It is not said which e-mail account to use.",
        "no_account_hint": "Set `address` and `password`.",
        "no_server": "It is not known which servers {domain} has.",
        "no_server_hint": "Set `imapHost` and `smtpHost` in the channel's settings.",
        "oauth": "{host} takes no passwords from programs, and this one cannot log in through a"
        " browser.",
        "oauth_hint": "Use an address with another provider.",
        "in_the_open": "The password would go to {host} over an unencrypted line.",
        "in_the_open_hint": "Choose `tls` or `starttls`; `none` is for this computer alone.",
        "no_tls": "{host} offers no encryption, so nothing was sent to it.",
        "no_tls_hint": "Try `tls` with its port, or ask who runs the server.",
        "no_login": "Nobody can log in at {host} on this port.",
        "no_login_hint": "Check `smtpPort` and `smtpSecurity`.",
        "login": "{host} does not take the password of {user}.",
        "login_hint": "Many providers want a password made for programs (app password) and IMAP"
        " switched on; the guide on this page says where.",
        "no_folder": "There is no folder “{folder}” at {host}.",
        "no_folder_hint": "Correct `folder` in the channel's settings.",
        "ended": "{host} ended the connection: {reason}.",
        "strange": "{host} answers something that is no IMAP: {reason}.",
        "later": "{host} asks for a pause: {reason}.",
        "not_taken": "{host} did not take the e-mail to {to}: {reason}.",
        "no_recipient": "“{to}” is no address that can be written to.",
        "not_now": "{host} does not take the e-mail to {to} now: {reason}.",
        "too_large": "The e-mail to {to} is larger than {host} takes.",
        "unread": "{name} cannot be read.",
        "gone": "The e-mail with {name} is not there any more.",
        "unvouched": "An e-mail from {address} was not read: your mail server does not say whether"
        " it is theirs, and anybody can write any name.",
        "unvouched_name": "An e-mail from {address} was not read: no server that you trust vouches"
        " for its sender. It has a line of “{voucher}”; if that is your mail server, set"
        " `authservId` to it.",
        "refuted": "An e-mail that says it is from {address} was not read: your mail server did"
        " not find that it is theirs.",
        "no_sender": "An e-mail was not read: it has not exactly one plain sender ({address}).",
        "flood": "{address} wrote more than {count} e-mails in an hour; further ones are not read.",
        "about": "A message",
    },
    chinese={
        "unreachable": "连不上邮件服务器 {host}:{port}：{reason}。",
        "unreachable_hint": "请检查地址，以及电脑是否联网。",
        "certificate": "{host} 的证书不可信。",
        "certificate_hint": "如果服务器是你自己的，请在 `caFile` 里写上它的证书。",
        "ca_file": "读不了证书文件 {file}。",
        "ca_file_hint": "请在渠道设置里改正 `caFile`。",
        "no_account": "没有写要用哪个邮箱账号。",
        "no_account_hint": "请设置 `address` 和 `password`。",
        "no_server": "不知道 {domain} 的服务器是哪些。",
        "no_server_hint": "请在渠道设置里写上 `imapHost` 和 `smtpHost`。",
        "oauth": "{host} 不接受程序用密码登录，而本程序不能通过浏览器登录。",
        "oauth_hint": "请换用其他邮箱服务商的地址。",
        "in_the_open": "密码会不加密地发给 {host}。",
        "in_the_open_hint": "请选 `tls` 或 `starttls`；`none` 只能用于本机。",
        "no_tls": "{host} 不支持加密，所以什么都没有发给它。",
        "no_tls_hint": "请试试 `tls` 和对应的端口，或问问服务器的管理员。",
        "no_login": "{host} 的这个端口不能登录。",
        "no_login_hint": "请检查 `smtpPort` 和 `smtpSecurity`。",
        "login": "{host} 不接受 {user} 的密码。",
        "login_hint": "许多服务商要求使用授权码（应用专用密码），并先开启 IMAP；"
        "本页的说明写了在哪里设置。",
        "no_folder": "{host} 上没有文件夹“{folder}”。",
        "no_folder_hint": "请在渠道设置里改正 `folder`。",
        "ended": "{host} 断开了连接：{reason}。",
        "strange": "{host} 的回答不是 IMAP：{reason}。",
        "later": "{host} 要求稍等：{reason}。",
        "not_taken": "{host} 没有接受发给 {to} 的邮件：{reason}。",
        "no_recipient": "“{to}”不是可以写信的地址。",
        "not_now": "{host} 现在不接受发给 {to} 的邮件：{reason}。",
        "too_large": "发给 {to} 的邮件超过了 {host} 允许的大小。",
        "unread": "读不了 {name}。",
        "gone": "带有 {name} 的邮件已经不在了。",
        "unvouched": "没有读来自 {address} 的一封邮件：你的邮件服务器没有说明它是否真的来自对方，"
        "而谁都可以冒用名字。",
        "unvouched_name": "没有读来自 {address} 的一封邮件：没有你信任的服务器证明它的发件人。"
        "邮件里有“{voucher}”写的一行；如果那是你的邮件服务器，请把 `authservId` 设为它。",
        "refuted": "没有读一封自称来自 {address} 的邮件：你的邮件服务器没有证实它来自对方。",
        "no_sender": "没有读一封邮件：它没有恰好一个普通的发件人（{address}）。",
        "flood": "{address} 一小时内写了超过 {count} 封邮件；其余的不读。",
        "about": "一条消息",
    },
)
