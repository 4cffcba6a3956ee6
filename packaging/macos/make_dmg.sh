#!/bin/sh
# The disk image for macOS. NOT RUN YET: written after the documentation of hdiutil, codesign and
# notarytool; nobody has run it.
#
#   python3 packaging/dev.py package folder          # makes Moltbot Desktop.app beside the folder
#   MOLTBOT_SIGN="Developer ID Application: …" MOLTBOT_NOTARY=profile packaging/macos/make_dmg.sh
#
# Without MOLTBOT_SIGN the app is signed for this computer alone (ad hoc), and others are warned.
set -eu
cd "$(dirname "$0")/../.."
version=$(sed -n 's/^__version__ = "\(.*\)"$/\1/p' moltbot_desktop/__init__.py)
app="build/package/folder/Moltbot Desktop.app"
image="dist/moltbot-desktop-$version-$(uname -m).dmg"
test -d "$app" || { echo "There is no $app. Build it first: python3 packaging/dev.py package folder" >&2; exit 1; }

codesign --force --deep --options runtime --timestamp"$([ -n "${MOLTBOT_SIGN:-}" ] || echo =none)" \
  --entitlements packaging/macos/entitlements.plist --sign "${MOLTBOT_SIGN:--}" "$app"
codesign --verify --deep --strict "$app"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -R "$app" "$work/"
ln -s /Applications "$work/Applications"
cp build/package/LICENCES.txt "$work/"
mkdir -p dist
rm -f "$image"
hdiutil create -volname "Moltbot Desktop $version" -srcfolder "$work" -fs HFS+ -format UDZO "$image"

if [ -n "${MOLTBOT_NOTARY:-}" ]; then
  xcrun notarytool submit "$image" --keychain-profile "$MOLTBOT_NOTARY" --wait
  xcrun stapler staple "$image"
fi
echo "$image"
