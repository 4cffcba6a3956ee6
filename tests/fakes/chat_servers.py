"""Real chat servers on the loopback address, each in a folder of its own, ended by the test.

    with ngircd(tmp_path) as server:
        client.connect("127.0.0.1", server.port)
        server.kill(); server.start()          # the same port and data, as after a crash

A server that is not installed skips the test and says which package brings it. Ports are chosen
free; another program may take one in between, so a server that dies at its start is started
again with another.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from devtools.synapse import synapse_python

if sys.platform != "win32":
    import pwd

HOST = "127.0.0.1"
READY_SECONDS = 90.0
STOP_SECONDS = 10.0
TRIES = 3
NOBODY = "nobody"

SYNAPSE = synapse_python()  # looked for here: a test has another home

Users = Mapping[str, str]
"""Names and their passwords."""

TWO_USERS: Users = {"alice": "pw1", "bob": "pw2"}


def free_port() -> int:
    with socket.create_server((HOST, 0)) as probe:
        return int(probe.getsockname()[1])


def program(path: str, package: str) -> str:
    """`path` or a name on the PATH; skips the test where it is not installed."""
    found = shutil.which(path)
    if found is None:
        pytest.skip(f"{Path(path).name} is not installed (Debian package {package})")
    return found


@dataclass
class ChatServer:
    """A server as a child of the test.

    Attributes:
        port: where it listens, on `HOST`.
        folder: its configuration and data; `log` is in it too.
        argv: how it is started.
        user: whom it runs as when the test is root, "" for root itself.
        more: what else its clients need, such as a second port or a certificate.
    """

    name: str
    port: int
    folder: Path
    argv: Sequence[str]
    user: str = NOBODY
    environment: Mapping[str, str] = field(default_factory=dict)
    more: Mapping[str, str] = field(default_factory=dict)
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, and return when it takes connections."""
        become = {}
        if self.user and os.geteuid() == 0:
            owner = pwd.getpwnam(self.user)
            for path in (self.folder, *self.folder.rglob("*")):
                os.chown(path, owner.pw_uid, owner.pw_gid)
            become = {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                self.argv,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=self.folder,
                env={**os.environ, **self.environment},
                start_new_session=True,
                **become,
            )
        self._wait_until_ready()

    def _wait_until_ready(self) -> None:
        assert self.process is not None
        last = time.monotonic() + READY_SECONDS
        while time.monotonic() < last:
            if self.process.poll() is not None:
                raise ServerDied(f"{self.name} ended by itself:\n{self.log()[-3000:]}")
            with contextlib.suppress(OSError), socket.create_connection((HOST, self.port), 1):
                return
            time.sleep(0.02)
        raise ServerDied(f"{self.name} does not listen:\n{self.log()[-3000:]}")

    def stop(self) -> None:
        """As an administrator would; its children too, when they are slow."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """As a crash would."""
        self._end(signal.SIGKILL)

    def hold(self) -> None:
        """It stands still: its lines stay, and nobody gets an answer."""
        self._signal_all(signal.SIGSTOP)

    def go_on(self) -> None:
        """After `hold`; harmless otherwise."""
        self._signal_all(signal.SIGCONT)

    def _signal_all(self, what: signal.Signals) -> None:
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, what)

    def _end(self, how: signal.Signals) -> None:
        self.go_on()
        process, self.process = self.process, None
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            if how is signal.SIGKILL:
                os.killpg(process.pid, how)
            else:
                process.send_signal(how)
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def log(self) -> str:
        return (self.folder / "log").read_text(errors="replace")


LONGEST_PARENT = 60
"""Characters. Servers put sockets into their folder, whose paths may have about 100."""


class ServerDied(RuntimeError):
    """A server ended at its start; the text has its log."""


@contextlib.contextmanager
def running(make: Callable[[Path, int], ChatServer], parent: Path) -> Iterator[ChatServer]:
    """The server that `make` describes for a fresh folder and a port."""
    with contextlib.ExitStack() as stack:
        if len(str(parent)) > LONGEST_PARENT:
            short = tempfile.TemporaryDirectory(prefix="s", ignore_cleanup_errors=True)
            parent = Path(stack.enter_context(short))
        yield from _running(make, parent)


def _running(make: Callable[[Path, int], ChatServer], parent: Path) -> Iterator[ChatServer]:
    for left in reversed(range(TRIES)):
        port = free_port()
        folder = parent / f"s{port}"
        folder.mkdir(parents=True)
        _open_the_way_to(folder)
        server = make(folder, port)
        try:
            server.start()
        except ServerDied:
            server.kill()
            if not left:
                raise
            continue
        try:
            yield server
        finally:
            server.stop()
        return


def _open_the_way_to(folder: Path) -> None:
    """Pytest's folders are closed to others, and the servers run as nobody."""
    if os.geteuid() != 0:
        return
    for one in folder.parents:
        if one.stat().st_uid != 0 or one == Path("/tmp"):
            return
        one.chmod(one.stat().st_mode | 0o711)


# ------------------------------------------------------------------ IRC


def ngircd(parent: Path) -> contextlib.AbstractContextManager[ChatServer]:
    """A plain IRC server without IRCv3; it slows a client down for two seconds after it came."""
    binary = program("/usr/sbin/ngircd", "ngircd")

    def make(folder: Path, port: int) -> ChatServer:
        (folder / "ngircd.conf").write_text(
            "[Global]\nName = irc.test.local\nInfo = test\n"
            f"Listen = {HOST}\nPorts = {port}\nPassword =\nMotdPhrase = hi\n"
            "[Limits]\nMaxConnectionsIP = 0\nMaxNickLength = 20\nPingTimeout = 20\n"
            "PongTimeout = 5\n"
            "[Options]\nDNS = no\nIdent = no\nPAM = no\nChroot =\n"
            "[Channel]\nName = #lab\n"
        )
        argv = (binary, "-n", "-f", str(folder / "ngircd.conf"))
        return ChatServer("ngircd", port, folder, argv)

    return running(make, parent)


def inspircd(parent: Path, password: str = "") -> contextlib.AbstractContextManager[ChatServer]:
    """An IRC server with message tags, server time, message ids, echoes and labels; `password`
    is what it asks everybody for."""
    binary = program("/usr/sbin/inspircd", "inspircd")
    modules = (
        "cap ircv3 ircv3_capnotify ircv3_ctctags ircv3_echomessage ircv3_msgid "
        "ircv3_servertime ircv3_batch ircv3_labeledresponse"
    ).split()

    def make(folder: Path, port: int) -> ChatServer:
        (folder / "inspircd.conf").write_text(
            '<server name="irc.test.local" description="t" network="lab" id="001">\n'
            '<admin name="a" description="a" email="a@b.c" nick="a">\n'
            f'<bind address="{HOST}" port="{port}" type="clients">\n'
            '<connect name="main" allow="*" timeout="10" pingfreq="20" localmax="500" '
            f'password="{password}" threshold="100000" globalmax="500" '
            'commandrate="100000" fakelag="no" recvq="64K" '
            'resolvehostnames="no" useident="no">\n'
            f'<path datadir="{folder}" logdir="{folder}" runtimedir="{folder}">\n'
            f'<pid file="{folder}/pid">\n<performance softlimit="1000">\n'
            '<options prefixquit="Quit: " syntaxhints="no">\n'
            + "".join(f'<module name="{name}">\n' for name in modules)
        )
        argv = (binary, "--nofork", f"--config={folder}/inspircd.conf", "--runasroot")
        return ChatServer("inspircd", port, folder, argv, user="")

    return running(make, parent)


# ------------------------------------------------------------------ XMPP


def make_certificate(folder: Path) -> None:
    """``localhost.crt``, its own CA, and ``localhost.key`` in `folder`."""
    argv = (
        *(program("openssl", "openssl"), "req", "-x509", "-newkey", "rsa:2048", "-nodes"),
        *("-days", "2", "-keyout", "localhost.key", "-out", "localhost.crt"),
        *("-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"),
    )
    subprocess.run(argv, check=True, capture_output=True, cwd=folder)


def prosody(
    parent: Path, users: Users = TWO_USERS
) -> contextlib.AbstractContextManager[ChatServer]:
    """``user@localhost`` and rooms at ``muc.localhost``; `more["certificate"]` is its own CA."""
    binary = program("/usr/bin/prosody", "prosody")
    program("openssl", "openssl")

    def make(folder: Path, port: int) -> ChatServer:
        certificates, accounts = folder / "certs", folder / "data" / "localhost" / "accounts"
        certificates.mkdir()
        accounts.mkdir(parents=True)
        make_certificate(certificates)
        for name, password in users.items():  # hashed by the server at the first login
            text = f'return {{ ["password"] = "{password}"; }};\n'
            (accounts / f"{name}.dat").write_text(text)
        (folder / "prosody.cfg.lua").write_text(
            f'pidfile = "{folder}/prosody.pid"\ndata_path = "{folder}/data"\n'
            f'certificates = "{certificates}"\ninterfaces = {{ "{HOST}" }}\n'
            f"c2s_ports = {{ {port} }}\ns2s_ports = {{ }}\nhttp_ports = {{ }}\n"
            "https_ports = { }\n"
            'modules_enabled = { "roster"; "saslauth"; "tls"; "disco"; "ping"; "carbons"; '
            '"smacks"; "pep"; "blocklist"; "mam" }\nmodules_disabled = { "s2s" }\n'
            'authentication = "internal_hashed"\nstorage = "internal"\n'
            "c2s_require_encryption = false\nallow_unencrypted_plain_auth = true\n"
            'log = { info = "*console" }\nVirtualHost "localhost"\n'
            'Component "muc.localhost" "muc"\n  modules_enabled = { "muc_mam" }\n'
            "  muc_room_locking = false\n  muc_room_default_public_jids = true\n"
            "  muc_log_by_default = true\n"
        )
        argv = (binary, "--config", str(folder / "prosody.cfg.lua"), "-F")
        more = {"certificate": str(certificates / "localhost.crt")}
        return ChatServer("prosody", port, folder, argv, more=more)

    return running(make, parent)


# ------------------------------------------------------------------ e-mail


def dovecot(
    parent: Path, users: Users | None = None, mailboxes: str = "sdbox"
) -> contextlib.AbstractContextManager[ChatServer]:
    """IMAP for ``alice@test.local`` and ``bob@test.local``; mail is handed over to the LMTP port
    `more["lmtp"]`. Needs root: its processes change to other users. A ``maildir``
    can be looked into, and gives UIDs in another order when many e-mails come at once."""
    binary = program("/usr/sbin/dovecot", "dovecot-imapd")
    program("/usr/lib/dovecot/lmtp", "dovecot-lmtpd")
    if os.geteuid() != 0:
        pytest.skip("dovecot starts its processes as other users, which root alone may")
    if users is None:
        users = {f"{name}@test.local": password for name, password in TWO_USERS.items()}
    known = users

    def make(folder: Path, port: int) -> ChatServer:
        lmtp = free_port()
        for name in ("mail", "base"):
            (folder / name).mkdir()
        shutil.chown(folder / "mail", "nobody", "nogroup")
        (folder / "users").write_text(
            "".join(f"{name}:{{PLAIN}}{password}::::::\n" for name, password in known.items())
        )
        unused = "\n".join(
            f"  unix_listener {name} {{\n    mode = 0666\n  }}"
            for name in ("stats-reader", "stats-writer")
        )
        (folder / "dovecot.conf").write_text(
            f"base_dir = {folder}/base\nstate_dir = {folder}/base\nlog_path = /dev/stderr\n"
            f"protocols = imap lmtp\nlisten = {HOST}\nssl = no\n"
            "disable_plaintext_auth = no\n"
            f"mail_location = {mailboxes}:{folder}/mail/%u\nmail_uid = nobody\nmail_gid = nogroup\n"
            "first_valid_uid = 1\nfirst_valid_gid = 1\ndefault_internal_user = nobody\n"
            "default_login_user = nobody\ndefault_internal_group = nogroup\n"
            "auth_mechanisms = plain login\nmailbox_idle_check_interval = 1s\n"
            "mail_fsync = never\nauth_failure_delay = 0\n"
            "namespace inbox {\n  inbox = yes\n  separator = /\n}\n"
            "passdb {\n  driver = passwd-file\n"
            f"  args = username_format=%u {folder}/users\n}}\n"
            "userdb {\n  driver = static\n  args = uid=nobody gid=nogroup "
            f"home={folder}/mail/%u allow_all_users=yes\n}}\n"
            "service imap-login {\n  chroot =\n  inet_listener imap {\n"
            f"    address = {HOST}\n    port = {port}\n  }}\n"
            "  inet_listener imaps {\n    port = 0\n  }\n}\n"
            "service anvil {\n  chroot =\n}\n"
            f"service lmtp {{\n  inet_listener lmtp {{\n    address = {HOST}\n"
            f"    port = {lmtp}\n  }}\n}}\n"
            f"service stats {{\n{unused}\n}}\n"
        )
        argv = (binary, "-F", "-c", str(folder / "dovecot.conf"))
        return ChatServer("dovecot", port, folder, argv, user="", more={"lmtp": str(lmtp)})

    return running(make, parent)


# ------------------------------------------------------------------ MQTT


def mosquitto(
    parent: Path, users: Users = TWO_USERS, access: str = ""
) -> contextlib.AbstractContextManager[ChatServer]:
    """An MQTT broker, at the port ``more["tls"]`` encrypted; `access` is its list of who may use
    which topics, "" for all may all."""
    binary = program("/usr/sbin/mosquitto", "mosquitto")
    hashing = program("mosquitto_passwd", "mosquitto")

    def make(folder: Path, port: int) -> ChatServer:
        passwords = folder / "passwords"
        passwords.touch(mode=0o600)
        for name, password in users.items():
            argv = (hashing, "-b", str(passwords), name, password)
            subprocess.run(argv, check=True, capture_output=True)
        (folder / "access").write_text(access)
        make_certificate(folder)
        tls = free_port()
        (folder / "mosquitto.conf").write_text(
            f"listener {port} {HOST}\nlistener {tls} {HOST}\n"
            f"certfile {folder}/localhost.crt\nkeyfile {folder}/localhost.key\n"
            f"allow_anonymous false\npassword_file {passwords}\n"
            f"persistence true\npersistence_location {folder}/\nlog_dest stderr\n"
            # By itself it drops beyond 1,000; with 0 it breaks the lines of whom its list refuses.
            "max_queued_messages 100000\n" + (f"acl_file {folder}/access\n" if access else "")
        )
        argv = (binary, "-c", str(folder / "mosquitto.conf"))
        more = {"tls": str(tls), "certificate": str(folder / "localhost.crt")}
        return ChatServer("mosquitto", port, folder, argv, more=more)

    return running(make, parent)


# ------------------------------------------------------------------ Matrix


def synapse(
    parent: Path, users: Users = TWO_USERS
) -> contextlib.AbstractContextManager[ChatServer]:
    """A Matrix server at ``http://127.0.0.1:port`` whose users are ``@name:lab.local``.

    Takes five to ten seconds to start: one for all tests of a module is enough.
    """
    if SYNAPSE is None:
        pytest.skip("Synapse is not there; `python3 packaging/dev.py test` installs it")
    shared = secrets.token_hex(16)

    def make(folder: Path, port: int) -> ChatServer:
        (folder / "media").mkdir()
        (folder / "log.yaml").write_text(
            "version: 1\nhandlers: {c: {class: logging.StreamHandler}}\n"
            "root: {level: WARNING, handlers: [c]}\ndisable_existing_loggers: false\n"
        )
        fast = "{per_second: 1000, burst_count: 1000}"
        (folder / "homeserver.yaml").write_text(
            f'server_name: "lab.local"\npid_file: {folder}/pid\nreport_stats: false\n'
            f"signing_key_path: {folder}/signing.key\nlog_config: {folder}/log.yaml\n"
            f"media_store_path: {folder}/media\n"
            f'database: {{name: sqlite3, args: {{database: "{folder}/homeserver.db"}}}}\n'
            f'listeners:\n  - port: {port}\n    bind_addresses: ["{HOST}"]\n    type: http\n'
            "    tls: false\n    resources: [{names: [client], compress: false}]\n"
            f'registration_shared_secret: "{shared}"\nmacaroon_secret_key: "{shared}m"\n'
            f'form_secret: "{shared}f"\ntrusted_key_servers: []\n'
            "suppress_key_server_warning: true\nfederation_domain_whitelist: []\n"
            "url_preview_enabled: false\npresence: {enabled: false}\nbcrypt_rounds: 4\n"
            f"rc_login: {{address: {fast}, account: {fast}}}\nrc_message: {fast}\n"
            f"rc_room_creation: {fast}\n"
            f"rc_joins: {{local: {fast}}}\nrc_invites: {{per_room: {fast}, per_user: {fast}}}\n"
        )
        head = (str(SYNAPSE), "-m", "synapse.app.homeserver")
        end = ("-c", str(folder / "homeserver.yaml"))
        subprocess.run((*head, "--generate-keys", *end), check=True, capture_output=True)
        # As the test's own user: its interpreter may lie where nobody else may read.
        return ChatServer(
            "synapse",
            port,
            folder,
            (*head, *end),
            user="",
            environment={"SYNAPSE_CACHE_FACTOR": "0.2"},
            more={"shared": shared},
        )

    @contextlib.contextmanager
    def with_users() -> Iterator[ChatServer]:
        with running(make, parent) as server:
            for name, password in users.items():
                add_to_synapse(server, name, password)
            yield server

    return with_users()


def add_to_synapse(server: ChatServer, name: str, password: str) -> None:
    """One more user; https://element-hq.github.io/synapse/latest/admin_api/register_api.html"""
    shared = server.more["shared"]
    address = f"http://{HOST}:{server.port}/_synapse/admin/v1/register"
    with urllib.request.urlopen(address, timeout=30) as answer:
        nonce = json.load(answer)["nonce"]
    parts = (nonce, name, password, "notadmin")
    mac = hmac.new(shared.encode(), "\0".join(parts).encode(), hashlib.sha1).hexdigest()
    body = {
        "nonce": nonce, "username": name, "password": password, "admin": False, "mac": mac
    }  # fmt: skip
    request = urllib.request.Request(
        address, json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        answer.read()


LINUX_ONLY = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="these servers are Debian packages"
)
