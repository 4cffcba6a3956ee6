"""A made-up key of each kind that the public list of gitleaks names: none comes through.

The list (github.com/gitleaks/gitleaks, config/gitleaks.toml, MIT) gives the names and the shapes;
each sample is made here, at random from a fixed seed, and is nobody's. In a shape `{A20}` is twenty
letters or digits, `a` small ones, `u` large ones, `h` hexadecimal, `d` digits, `w` also _ and -,
`b` Base64.
"""

from __future__ import annotations

import logging
import random
import re
import string
from pathlib import Path

import pytest

from moltbot_desktop.app.logs import CrashNotes, start_logging
from moltbot_desktop.security.redaction import holds_key, redacted

_LETTERS = {
    "A": string.ascii_letters + string.digits,
    "a": string.ascii_lowercase + string.digits,
    "u": string.ascii_uppercase + string.digits,
    "h": "0123456789abcdef",
    "d": string.digits,
    "w": string.ascii_letters + string.digits + "_-",
    "b": string.ascii_letters + string.digits + "+/",
}
_UUID = "{h8}-{h4}-{h4}-{h4}-{h12}"
BY_FORM = {
    "1password-secret-key": "A3-{u6}-{u6}-{u5}-{u5}-{u5}-{u5}",
    "1password-service-account-token": "ops_eyJ{b250}",
    "adobe-client-secret": "p8e-{a32}",
    "age-secret-key": "AGE-SECRET-KEY-1{u58}",
    "alibaba-access-key-id": "LTAI{a20}",
    "anthropic-admin-api-key": "sk-ant-admin01-{w93}AA",
    "anthropic-api-key": "sk-ant-api03-{w93}AA",
    "artifactory-api-key": "AKCp{A69}",
    "artifactory-reference-token": "cmVmd{A59}",
    "atlassian-api-token": "ATATT3{w186}",
    "authress-service-client-access-key": "sc_{a12}.{a5}.acc_{a12}.{a60}",
    "aws-access-token": "AKIA{u16}",
    "aws-access-token-2": "ABIA{u16}",
    "aws-amazon-bedrock": "ABSK{b110}",
    "azure-ad-client-secret": "{A3}8Q~{A33}",
    "beamer-api-token": "b_{a44}",
    "clickhouse-cloud-api-secret-key": "4b1d{A38}",
    "clojars-api-token": "CLOJARS_{a60}",
    "cloudflare-origin-ca-key": "v1.0-{h24}-{h146}",
    "databricks-api-token": "dapi{h32}",
    "defined-networking-api-token": "dnkey-{a26}-{a52}",
    "digitalocean-access-token": "doo_v1_{h64}",
    "digitalocean-pat": "dop_v1_{h64}",
    "digitalocean-refresh-token": "dor_v1_{h64}",
    "doppler-api-token": "dp.pt.{a43}",
    "dropbox-short-lived-api-token": "sl.{w135}",
    "duffel-api-token": "duffel_live_{w43}",
    "dynatrace-api-token": "dt0c01.{a24}.{a64}",
    "easypost-api-token": "EZAK{a54}",
    "easypost-test-api-token": "EZTK{a54}",
    "facebook-access-token": "{d16}|{w30}",
    "facebook-page-access-token": "EAAM{a100}",
    "flutterwave-encryption-key": "FLWSECK_TEST-{h12}",
    "flutterwave-public-key": "FLWPUBK_TEST-{h32}-X",
    "flutterwave-secret-key": "FLWSECK_TEST-{h32}-X",
    "flyio-access-token": "fo1_{w43}",
    "flyio-access-token-2": "fm2_{b100}",
    "frameio-api-token": "fio-u-{w64}",
    "gcp-api-key": "AIza{w35}",
    "github-app-token": "ghu_{A36}",
    "github-fine-grained-pat": "github_pat_{A82}",
    "github-oauth": "gho_{A36}",
    "github-pat": "ghp_{A36}",
    "github-refresh-token": "ghr_{A36}",
    "gitlab-cicd-job-token": "glcbt-{A5}_{w20}",
    "gitlab-deploy-token": "gldt-{w20}",
    "gitlab-feature-flag-client-token": "glffct-{w20}",
    "gitlab-feed-token": "glft-{w20}",
    "gitlab-incoming-mail-token": "glimt-{w25}",
    "gitlab-kubernetes-agent-token": "glagent-{w50}",
    "gitlab-oauth-app-secret": "gloas-{w64}",
    "gitlab-pat": "glpat-{w20}",
    "gitlab-pat-routable": "glpat-{w27}.{a9}",
    "gitlab-ptt": "glptt-{h40}",
    "gitlab-rrt": "GR1348941{w20}",
    "gitlab-runner-authentication-token": "glrt-{w20}",
    "gitlab-scim-token": "glsoat-{w20}",
    "grafana-cloud-api-token": "glc_{b32}",
    "grafana-service-account-token": "glsa_{A32}_{h8}",
    "hashicorp-tf-api-token": "{a14}.atlasv1.{w60}",
    "heroku-api-key-v2": "HRKU-AA{w58}",
    "huggingface-access-token": "hf_{A34}",
    "huggingface-organization-api-token": "api_org_{A34}",
    "infracost-api-token": "ico-{A32}",
    "intra42-client-secret": "s-s4t2ud-{h64}",
    "jwt": "ey{A17}.ey{w30}.{w40}",
    "jwt-base64": "ZXlKaGJHY2lPaU{A80}",
    "linear-api-key": "lin_api_{a40}",
    "lob-api-key": "live_{h35}",
    "lob-pub-api-key": "test_pub_{h31}",
    "mailchimp-api-key": "{h32}-us20",
    "mailgun-private-api-token": "key-{h32}",
    "mailgun-pub-key": "pubkey-{h32}",
    "mapbox-api-token": "pk.{a60}.{a22}",
    "maxmind-license-key": "{A6}_{A29}_mmk",
    "new-relic-browser-api-token": "NRJS-{h19}",
    "new-relic-insert-key": "NRII-{w32}",
    "new-relic-user-api-key": "NRAK-{u27}",
    "notion-api-token": "ntn_{d11}{A35}",
    "npm-access-token": "npm_{a36}",
    "octopus-deploy-api-key": "API-{u26}",
    "openai-api-key": "sk-{A20}T3BlbkFJ{A20}",
    "openai-project-key": "sk-proj-{w74}T3BlbkFJ{w74}",
    "openshift-user-token": "sha256~{w43}",
    "perplexity-api-key": "pplx-{A48}",
    "plaid-api-token": f"access-sandbox-{_UUID}",
    "planetscale-api-token": "pscale_tkn_{w40}",
    "planetscale-oauth-token": "pscale_oauth_{w40}",
    "planetscale-password": "pscale_pw_{w40}",
    "postman-api-token": "PMAK-{h24}-{h34}",
    "prefect-api-token": "pnu_{A36}",
    "pulumi-api-token": "pul-{h40}",
    "pypi-upload-token": "pypi-AgEIcHlwaS5vcmc{w60}",
    "readme-api-token": "rdme_{a70}",
    "rubygems-api-token": "rubygems_{h48}",
    "scalingo-api-token": "tk-us-{w48}",
    "sendgrid-api-token": "SG.{w22}.{w43}",
    "sendinblue-api-token": "xkeysib-{h64}-{a16}",
    "sentry-org-token": "sntrys_eyJpYXQiO{b60}LCJyZWdpb25fdXJs{b60}=_{b43}",
    "sentry-user-token": "sntryu_{h64}",
    "settlemint-application-access-token": "sm_aat_{A16}",
    "settlemint-personal-access-token": "sm_pat_{A16}",
    "settlemint-service-access-token": "sm_sat_{A16}",
    "shippo-api-token": "shippo_live_{h40}",
    "shopify-access-token": "shpat_{h32}",
    "shopify-custom-access-token": "shpca_{h32}",
    "shopify-private-app-access-token": "shppa_{h32}",
    "shopify-shared-secret": "shpss_{h32}",
    "slack-app-token": "xapp-1-{u10}-{d12}-{h60}",
    "slack-bot-token": "xoxb-{d12}-{d12}-{A24}",
    "slack-config-access-token": "xoxe.xoxp-1-{u163}",
    "slack-config-refresh-token": "xoxe-1-{u146}",
    "slack-legacy-token": "xoxs-{d10}-{d10}-{d10}-{h10}",
    "slack-legacy-workspace-token": "xoxa-2-{A40}",
    "slack-user-token": "xoxp-{d12}-{d12}-{d12}-{A30}",
    "sourcegraph-access-token": "sgp_{h40}",
    "square-access-token": "sq0atp-{w22}",
    "square-access-token-2": "EAAA{A60}",
    "stripe-access-token": "sk_live_{A24}",
    "stripe-restricted": "rk_prod_{A24}",
    "telegram-bot-api-token": "{d9}:A{w34}",
    "twilio-api-key": "SK{h32}",
    "typeform-api-token": "tfp_{w59}",
    "vault-batch-token": "hvb.{w140}",
    "vault-service-token": "hvs.{w95}",
    "vault-service-token-old": "s.{A24}",
    "yandex-access-token": "t1.{w40}.{w86}",
    "yandex-api-key": "AQVN{w38}",
    "yandex-aws-access-token": "YC{w38}",
}
"""Rules that know a key by its form."""
BY_NAME = {
    "a30": "alibaba_secret_key, plaid_secret_key, twitch_token",
    "a32": "adafruit_api_key, algolia_api_key, asana_client_secret, bitbucket_client_secret, "
    "bittrex_secret_key, codecov_token, discord_client_secret, droneci_token, flickr_access_token, "
    "privateai_api_key, nytimes_api_key, zendesk_secret_key, fastly_api_key",
    "a17": "airtable_api_key",
    "a24": "atlassian_api_token, etsy_access_token, travis_access_token, confluent_access_token",
    "a40": "cloudflare_api_key, datadog_access_token, launchdarkly_access_token, netlify_token",
    "A40": "cohere_api_token, CO_API_KEY",
    "h37": "cloudflare_global_api_key",
    "a64": "coinbase_access_token, confluent_secret_key, freshbooks_access_token, "
    "jfrog_identity_token, sumologic_access_token",
    "a43": "contentful_delivery_api_token",
    "h64": "discord_api_token, sentry_access_token",
    "a15": "dropbox_api_token",
    "h32": "facebook_secret, finicity_api_token, linear_client_secret",
    "a20": "finicity_client_secret, finnhub_access_token",
    "w40": "gitter_access_token, sonar_token",
    "a73": "jfrog_api_key",
    "b80": "kraken_access_token",
    "h24": "kucoin_access_token",
    "a16": "linkedin_client_secret",
    "a26": "mattermost_access_token",
    "a25": "messagebird_api_token",
    "w42": "okta_access_token",
    "a50": "rapidapi_access_token",
    "h40": "sendbird_access_token, meraki_api_key",
    "a45": "twitter_access_secret",
    "A50": "twitter_api_secret, twitter_api_key",
    "A80": "twitter_bearer_token",
    "h38": "intercom_api_key",
}
"""Rules that know a key by what it is called: the shape, and names as people write them."""


def made(shape: str, seed: str = "") -> str:
    chance = random.Random(f"{shape}{seed}")
    return re.sub(
        r"\{(\w)(\d+)\}",
        lambda one: "".join(chance.choice(_LETTERS[one[1]]) for _ in range(int(one[2]) - 1)) + "7",
        shape,
    )


NAMED = [
    (name.strip(), made(f"{{{shape}}}", name))
    for shape, names in BY_NAME.items()
    for name in names.split(",")
]
LINES = [
    *(f"could not sign in with {made(shape)} today" for shape in BY_FORM.values()),
    *(f'{name}="{key}"' for name, key in NAMED),
]


def test_the_list_is_not_cut_short() -> None:
    assert len(BY_FORM) + len(NAMED) >= 170


def assert_hidden(key: str, shown: str) -> None:
    """No more than the first six and the last four characters are there."""
    assert key not in shown
    middle = key[6:-4] if len(key) >= 18 else key
    assert middle not in shown


@pytest.mark.parametrize("rule", BY_FORM)
def test_a_key_of_that_form_is_hidden_wherever_it_stands(rule: str) -> None:
    key = made(BY_FORM[rule])
    assert holds_key(key)
    for line in (key, f"it is {key}, then", f'{{"x": "{key}"}}', f"x={key}&y=1", f"用 {key}。"):
        assert_hidden(key, redacted(line))


@pytest.mark.parametrize(("name", "key"), NAMED)
def test_a_key_of_that_name_is_hidden_however_it_is_written(name: str, key: str) -> None:
    camel = "".join(part.capitalize() for part in name.split("_"))
    for line in (
        *(f"{name}={key}", f'{name.upper()}="{key}"', f"{name}: {key}", f"{camel} = '{key}'"),
        *(f'"{camel}": "{key}"', f"{name.replace('_', '-')}: {key}", f"{name}:={key}"),
    ):
        assert_hidden(key, redacted(line))


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ('curl -H "Authorization: Bearer {k}" x', "{A40}"),
        ('curl -H "Authorization: Token {k}" x', "{A40}"),
        ('curl --header "Authorization: {k}" x', "{A40}"),
        ('curl -H "X-Api-Key: {k}" x', "{A40}"),
        ("curl -u ada:{k} https://example.org", "{A12}"),
        ("curl --user 'ada:{k}' https://example.org", "{A12}"),
        ("db_pwd={k}", "{A24}"),
        ("database_password: {k}", "{A9}"),
        ("https://hooks.slack.com/workflows/{k}", "T{u10}/A{u10}/{d18}/{A24}"),
        (
            "https://x.webhook.office.com/webhookb2/{k}",
            f"{_UUID}@{_UUID}/IncomingWebhook/{{h32}}/{_UUID}",
        ),
        ("https://{k}@gems.contribsys.com/", "{h8}:{h8}"),
        ('<add key="ClearTextPassword" value="{k}" />', "{A12}!x"),
        ("git clone https://ada:{k}@example.org/a.git", "{A20}"),
        ("postgres://ada:{k}@db/x", "{A20}"),
        ("redis://:{k}@cache:6379", "{A20}"),
        ("Cookie: session={k}", "{A40}"),
        ("snyk_token: {k}", _UUID),
        ("squarespace_access_token = {k}", _UUID),
        ("'secret_key' => 'sk_{k}'", "{A29}"),
    ],
)
def test_what_stands_in_a_command_or_an_address_is_hidden(line: str, key: str) -> None:
    secret = made(key, line)
    assert_hidden(secret.rpartition(":")[2], redacted(line.replace("{k}", secret)))


@pytest.mark.parametrize("kind", ["RSA PRIVATE KEY", "PRIVATE KEY", "PGP PRIVATE KEY BLOCK"])
def test_a_private_key_of_any_kind_is_hidden(kind: str) -> None:
    lines = [made("{b64}", str(number)) for number in range(20)]
    text = "\n".join((f"-----BEGIN {kind}-----", *lines, f"-----END {kind}-----", "rest"))
    shown = redacted(text)
    assert not [line for line in lines if line in shown]
    assert shown.endswith("rest")


def logged(folder: Path, *lines: str, error: Exception | None = None) -> str:
    root = logging.getLogger()
    level = root.level
    handler = start_logging(folder)
    assert handler is not None
    try:
        logger = logging.getLogger("moltbot_desktop.canary")
        for line in lines:
            logger.info("%s", line)
        if error is not None:
            logger.info("it broke", exc_info=error)
    finally:
        root.removeHandler(handler)
        root.setLevel(level)
        handler.close()
    return (folder / "moltbot.log").read_text(encoding="utf-8")


def test_no_key_reaches_the_log_file(tmp_path: Path) -> None:
    shown = logged(tmp_path, *LINES)
    assert len(shown.splitlines()) == len(LINES)
    for key in (*map(made, BY_FORM.values()), *(key for _, key in NAMED)):
        assert_hidden(key, shown)


def test_no_key_reaches_the_log_through_an_error_or_over_several_lines(tmp_path: Path) -> None:
    key, body = made("sk-{A40}"), made("{b64}")
    block = f"-----BEGIN RSA PRIVATE KEY-----\n{body}\n-----END RSA PRIVATE KEY-----"
    shown = logged(tmp_path, block, error=ValueError(f"refused: {key}"))
    assert "ValueError: refused: sk-" in shown
    assert_hidden(key, shown)
    assert body not in shown


def test_nobody_writes_a_line_of_the_log_but_us(tmp_path: Path) -> None:
    """What a stranger says is read again, by people and by programs that go line by line."""
    forged = "x\n2026-01-05 12:00:00,000 ERROR moltbot_desktop.app: all is lost\r"
    forged += "\x1b[2J\x1b]0;t\x07\u202e\x85"
    shown = logged(tmp_path, forged, "y" * 100_000)
    first, second, third = shown.splitlines()
    assert second.startswith("    2026-01-05")
    assert all(letter.isprintable() for letter in first + second + third)
    assert len(third) < 20_000


@pytest.mark.expect_log("uncaught error")
def test_no_key_reaches_the_crash_note(tmp_path: Path) -> None:
    key = made("ghp_{A36}")
    CrashNotes(tmp_path).write(f"Traceback\n  ValueError: {key}\n")
    note = (tmp_path / "crash.txt").read_text(encoding="utf-8")
    assert "ValueError: ghp_" in note
    assert_hidden(key, note)
