"""Keys that are known by their form: what each maker's begin with and are made of.

As the public list of gitleaks (MIT) names them, in patterns of our own: shorter, never going back,
and open to a longer key than a maker gives today. Read by `redaction` alone;
`left_out` takes them from there.
"""

from __future__ import annotations

_WORD = "[A-Za-z0-9_-]"
_MIXED = "[A-Za-z0-9]"
_UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"

_MODELS = (
    f"sk-{_WORD}{{16,}}",
    f"hf_{_MIXED}{{20,}}",
    f"api_org_{_MIXED}{{20,}}",
    f"gsk_{_MIXED}{{20,}}",
    f"xai-{_MIXED}{{40,}}",
    f"pplx-{_MIXED}{{40,}}",
    f"r8_{_MIXED}{{30,}}",
    f"tvly-{_WORD}{{20,}}",
    f"AIza{_WORD}{{30,}}",
    f"GOCSPX-{_WORD}{{20,}}",
    f"ya29\\.{_WORD}{{20,}}",
)
_TALK = (
    rf"(?i:xox[abeoprs])[.-]{_WORD}{{8,}}",
    rf"(?i:xoxe\.xox[bp])-{_WORD}{{8,}}",
    f"(?i:xapp)-{_WORD}{{10,}}",
    rf"[MNO]{_WORD}{{23,27}}\.{_WORD}{{6}}\.{_WORD}{{27,}}",
    rf"(?:bot)?\d{{5,16}}:{_WORD}{{30,}}",
    f"syt_{_WORD}{{20,}}",
    f"lin_api_{_MIXED}{{30,}}",
    f"ntn_{_MIXED}{{30,}}",
    f"EAA[A-Z]{_MIXED}{{22,}}",
    rf"\d{{15,16}}[|%]{_WORD}{{27,40}}",
)
_CODE = (
    f"gh[oprsu]_{_MIXED}{{20,}}",
    f"github_pat_{_MIXED}[A-Za-z0-9_]{{20,}}",
    r"gl(?:pat|ptt|cbt|dt|ft|imt|agent|oas|soat|rt|ffct)-[A-Za-z0-9_.-]{16,}",
    f"GR1348941{_WORD}{{16,}}",
    f"npm_{_MIXED}{{30,}}",
    f"pypi-{_WORD}{{40,}}",
    "rubygems_[a-f0-9]{40,}",
    f"(?i:clojars)_{_MIXED}{{50,}}",
    f"sgp_{_WORD}{{40,}}",
    f"sq[apu]_{_MIXED}{{30,}}",
    f"AKCp{_MIXED}{{60,}}",
    f"cmVmd{_MIXED}{{50,}}",
    "ATATT3[A-Za-z0-9_=-]{60,}",
    "API-[A-Z0-9]{26}",
    "sntryu_[a-f0-9]{40,}",
    "sntrys_[A-Za-z0-9+/=_]{40,}",
    f"rdme_{_MIXED}{{40,}}",
    "PMAK-[a-f0-9]{20,}-[a-f0-9]{30,}",
)
_CLOUD = (
    "(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}",
    "ABSK[A-Za-z0-9+/]{60,}={0,2}",
    f"LTAI{_MIXED}{{16,}}",
    "do[opr]_v1_[a-f0-9]{40,}",
    rf"hv[sb]\.{_WORD}{{20,}}",
    rf"s\.{_MIXED}{{24}}",
    rf"{_MIXED}{{14}}\.(?i:atlasv1)\.{_WORD}{{40,}}",
    f"HRKU-{_WORD}{{30,}}",
    "dapi[a-f0-9]{32}",
    "pul-[a-f0-9]{40,}",
    "pscale_(?:tkn|oauth|pw)_[A-Za-z0-9_=.-]{32,}",
    f"tk-us-{_WORD}{{40,}}",
    "(?:fo1|fm1[ar]|fm2)_[A-Za-z0-9_+/-]{40,}={0,3}",
    "v1\\.0-[a-f0-9]{24}-[a-f0-9]{100,}",
    f"4b1d{_MIXED}{{38}}",
    rf"{_WORD}{{3}}\dQ~[A-Za-z0-9_~.-]{{31,34}}",
    f"sha256~{_WORD}{{40,}}",
    "gl(?:c|sa)_[A-Za-z0-9+/_]{30,}={0,3}",
    r"dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9._-]{30,}",
    rf"dt0c01\.{_MIXED}{{24}}\.{_MIXED}{{40,}}",
    f"dnkey-{_WORD}{{20,}}",
    f"pnu_{_MIXED}{{30,}}",
    f"tfp_{_WORD}{{40,}}",
    f"(?:NRAK|NRII|NRJS|NRAL)-{_WORD}{{19,}}",
    f"ico-{_MIXED}{{32}}",
    r"t1\.[A-Za-z0-9_=.-]{60,}",
    f"AQVN{_WORD}{{35,}}",
    f"YC{_WORD}{{38}}",
    f"sm_[aps]at_{_MIXED}{{16,}}",
    rf"(?:sc|ext|scauth|authress)_{_MIXED}{{5,30}}\.{_MIXED}{{4,6}}\.acc[_-][A-Za-z0-9+/_=.-]{{30,}}",
)
_SHOPS = (
    f"[spr]k_(?:live|test|prod)_{_MIXED}{{10,}}",
    "whsec_[A-Za-z0-9+/=]{20,}",
    r"SG\.[A-Za-z0-9_=.-]{40,}",
    r"xkeysib-[a-f0-9]{60,}-[A-Za-z0-9]{16}",
    "shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}",
    "shippo_(?:live|test)_[A-Fa-f0-9]{40}",
    f"sq0[ac][ts]p-{_WORD}{{22,}}",
    f"EZ[AT]K{_MIXED}{{50,}}",
    "duffel_(?:test|live)_[A-Za-z0-9_=-]{40,}",
    f"FLW(?:SEC|PUB)K_TEST-{_MIXED}{{12,}}",
    "fio-u-[A-Za-z0-9_=-]{60,}",
    "(?:live|test)_(?:pub_)?[a-f0-9]{31,35}",
    "(?:pub)?key-[a-f0-9]{32}",
    r"[a-f0-9]{32}-us\d{1,2}",
    r"pk\.[A-Za-z0-9]{60}\.[A-Za-z0-9]{22}",
    f"access-(?:sandbox|development|production)-{_UUID}",
    "SK[0-9a-fA-F]{32}",
    f"{_MIXED}{{6}}_{_MIXED}{{29}}_mmk",
    "sl\\.[A-Za-z0-9_=-]{60,}",
    f"p8e-{_MIXED}{{32}}",
    "s-s4t2(?:ud|af)-[a-f0-9]{60,}",
    "b_[A-Za-z0-9_=-]{44}",
)
_SAFES = (
    "AGE-SECRET-KEY-1[A-Z0-9]{50,}",
    r"A3-[A-Z0-9]{6}(?:-[A-Z0-9]{5,11}){4,5}",
    r"ops_eyJ[A-Za-z0-9+/]{100,}={0,3}",
    rf"ey{_WORD}{{12,2000}}\.ey{_WORD}{{10,8000}}\.{_WORD}*",
    rf"eyJ{_WORD}{{10,2000}}\.{_WORD}{{10,8000}}\.{_WORD}*",
    "ZXlK[A-Za-z0-9+/_-]{60,}={0,2}",
)
EVERY = "|".join((*_MODELS, *_TALK, *_CODE, *_CLOUD, *_SHOPS, *_SAFES))
"""One alternative for each kind. Stands between borders of words."""
