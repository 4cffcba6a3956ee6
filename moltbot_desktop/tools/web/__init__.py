"""Reading the web: `web_fetch` and `web_search`. Offered once the owner switched them on, and
never while the seal is closed (`security.seal`).

`addresses` says which address was said by the owner or stands on a page, word for word; `pages`
gets one, with limits; `charset` makes text of its bytes, `tools.documents` Markdown of its HTML.
`engines` knows the two search services. `fetch` and `search` are the tools.
"""
