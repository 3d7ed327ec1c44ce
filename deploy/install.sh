#!/bin/sh
# Installs svcd on a Debian or Ubuntu server:  sh install.sh <svcd-….tgz> [options of 'svcd install']
# It checks the package against SHA256SUMS beside it, fetches Node.js if there is none that is new enough, installs the package,
# and runs 'svcd install'. Without SHA256SUMS it stops, unless you say --without-checksum.
# To upgrade a svcd that runs, use 'svcd upgrade' instead: no request fails, and it goes back by itself.
set -eu

fail() { echo "install.sh: $1" >&2; exit 1; }

[ "$(id -u)" = 0 ] || fail "run it as root: sudo sh install.sh …"
[ $# -ge 1 ] || fail "name the package: sh install.sh svcd-0.1.0.tgz --domain example.com --email you@example.com"
package=$1
shift
checks=yes
for argument; do
  shift
  if [ "$argument" = --without-checksum ]; then checks=no; else set -- "$@" "$argument"; fi
done
[ -f "$package" ] || fail "there is no file $package"

if [ $checks = yes ]; then
  folder=$(dirname "$package")
  name=$(basename "$package")
  [ -f "$folder/SHA256SUMS" ] ||
    fail "there is no SHA256SUMS beside $package, so nobody knows whether it is whole: copy that file of the release there, too. To install the package unchecked, add --without-checksum"
  line=$(awk -v name="$name" '$2 == name' "$folder/SHA256SUMS")
  [ -n "$line" ] || fail "SHA256SUMS has no line for $name: download both again"
  (cd "$folder" && echo "$line" | sha256sum --check --status -) ||
    fail "$package is not what SHA256SUMS says: download both again"
fi

new_enough() {
  command -v node >/dev/null 2>&1 &&
    node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)'
}

if ! new_enough; then
  command -v apt-get >/dev/null 2>&1 || fail "install Node.js 20.19 or newer, and run this again"
  version=${NODE_VERSION:-v22.20.0}
  case $(uname -m) in
    x86_64) arch=x64 ;;
    aarch64) arch=arm64 ;;
    *) fail "install Node.js 20.19 or newer for $(uname -m), and run this again" ;;
  esac
  apt-get update -q
  apt-get install -y -q --no-install-recommends ca-certificates curl xz-utils
  from=${NODE_MIRROR:-https://nodejs.org/dist}/$version
  name=node-$version-linux-$arch.tar.xz
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  curl -fsSL -o "$work/$name" "$from/$name" || fail "cannot download $from/$name"
  curl -fsSL -o "$work/SHASUMS256.txt" "$from/SHASUMS256.txt" || fail "cannot download $from/SHASUMS256.txt"
  (cd "$work" && grep " $name\$" SHASUMS256.txt | sha256sum --check --quiet -) || fail "$name is damaged"
  tar -xJf "$work/$name" -C /usr/local --strip-components=1 --exclude='*.md' --exclude=LICENSE
  new_enough || fail "Node.js was installed in /usr/local, but 'node' is still an older one"
fi

# The package has all its dependencies inside, so unpacking it is all. 'svcd install' makes it the current version.
version=$(tar -xzOf "$package" package/package.json 2>/dev/null | node -p 'JSON.parse(require("node:fs").readFileSync(0, "utf8")).version' 2>/dev/null) || version=
case $version in
  '' | *[!0-9A-Za-z.+-]* | *..*) fail "$package is no release of svcd" ;;
esac
folder=/opt/svcd/versions/$version
umask 022
rm -rf "$folder.part"
mkdir -p "$folder.part"
tar -xzf "$package" -C "$folder.part" --strip-components=1 --no-same-owner
rm -rf "$folder"
mv "$folder.part" "$folder"
exec node "$folder/server/bin/svcd.js" install "$@"
