"""Secrets are recognised, and everyday facts are not taken for any."""

from __future__ import annotations

import pytest

from moltbot_desktop.memory.secrecy import looks_secret


@pytest.mark.parametrize(
    "text",
    [
        "my wifi password is hunter2",
        "The door code is 4711",
        "my PIN is 1234",
        "4539 1488 0343 6467",
        "IBAN DE89 3704 0044 0532 0130 00",
        "sk-proj-abcdefghijklmnop1234",
        "ghp_abcdefghij1234567890abcdefghij123456",
        "AKIAIOSFODNN7EXAMPLE",
        "-----BEGIN OPENSSH PRIVATE KEY-----",
        "postgres://me:letmein@db.example.org/app",
        "my ssn is 078-05-1120",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abc",
        "我的银行卡密码是123456",
        "我的身份证号是11010519491231002X",
        "验证码 558210",
        "助记词在抽屉里",
        "ｐａｓｓｗｏｒｄ: x",
        "token x8Fk29aLq0ZpW7tR3vYb",
    ],
)
def test_a_secret_is_recognised(text: str) -> None:
    assert looks_secret(text)


@pytest.mark.parametrize(
    "text",
    [
        "My locker is number 4539",
        "my phone number is +44 20 7946 0958",
        "My keys are in the blue bowl",
        "I was born on 1984-03-12",
        "I love the Pinot from 2019",
        "我的密码学老师是李明",
        "我的手机号是13800138000",
        "Donaudampfschifffahrtsgesellschaft",
        "my site is https://example.org/blog/2024/my-long-article-name",
    ],
)
def test_an_everyday_fact_is_no_secret(text: str) -> None:
    assert not looks_secret(text)
