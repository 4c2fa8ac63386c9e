#!/bin/sh
# Debian's libraries for aarch64 in a folder of their own: tests/arm/root.sh FOLDER
# They are fetched as apt fetches them for this system (its sources, its keys) and unpacked; the packages of this
# machine are not touched.
set -eu
root=$1
[ ! -e "$root/complete" ] || exit 0
rm -rf "$root"
mkdir -p "$root"
root=$(realpath "$root")
apt=$root/apt
mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
: >"$apt/status"
# as another machine's: its own lists, and nothing is installed there
fetch() {
	apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State::Lists="$apt/lists" \
		-o Dir::State::status="$apt/status" -o Dir::Cache="$apt/cache" -o Debug::NoLocking=1 -o APT::Sandbox::User=root \
		-o Dir::Etc::SourceList="$apt/none" -o Dir::Etc::SourceParts="$apt/sources" "$@"
}
# Debian's sources alone: others may have nothing for aarch64
mkdir -p "$apt/sources"
for f in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
	[ -e "$f" ] && grep -q 'debian\.org' "$f" && cp "$f" "$apt/sources/"
done
[ ! -e "$apt/sources/sources.list" ] || mv "$apt/sources/sources.list" "$apt/sources/first.list"
fetch update
packages=$(sed -n -e 's/^build: //p' -e 's/^wanted: //p' "$(dirname "$0")/../../.ci/packages" | tr ' ' '\n' | grep '^lib.*-dev$')
# names have no blanks: split on purpose
# shellcheck disable=SC2086
fetch install -y --download-only --no-install-recommends $packages libcmocka-dev libgcc-s1
for d in "$apt"/cache/archives/*.deb; do
	dpkg-deb -x "$d" "$root"
done
# links from the top of the file system are meant from the top of the folder
find "$root" -type l -lname '/*' | while read -r link; do
	ln -sfnr "$root$(readlink "$link")" "$link"
done
rm -rf "$apt"
touch "$root/complete"
