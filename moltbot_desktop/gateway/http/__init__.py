"""The local web server: pages and webhooks of plugins, for this computer alone."""
