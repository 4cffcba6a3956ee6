"""What about the settings, files and permissions of this program is less safe than it could be.

    findings = (*file_findings(seen), *settings_findings(config, ...), *grant_findings(grants, ...))

Everything here is pure: `app.doctor` looks at the disk and hands over what it saw. Each finding has
a stable id (`sdk.audit`), and its words in `sdk.audit_words`.
"""
