"""DingTalk, through an app of the owner's own."""
