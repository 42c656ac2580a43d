#!/bin/sh
# Installs what scripts/release makes, in directories that become roots of their own, and runs the examples of README and of the tour
# there as an ordinary user: the .deb and the archive in a minimal Debian, the .rpm, the .apk and the image in what they hold and a
# busybox for the shell that the tour needs. lintian, ruby and nix look at what they know. What cannot be had is skipped by name.
# It needs root, for chroot. With CI set it installs Debian's packages of what is missing.
#
# usage: packages.sh ARTIFACTS WORK CACHE
#
# ARTIFACTS has a release with linux/amd64, WORK is an empty directory, and CACHE is where the minimal Debian is kept.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
out=$(CDPATH='' cd -- "$1" && pwd) work=$(CDPATH='' cd -- "$2" && pwd)
mkdir -p "$3"
cache=$(CDPATH='' cd -- "$3" && pwd)

skip() { echo "interop: skipped: packages: $*"; }
ok() { echo "interop: packages: $*: ok"; }
fail() { echo "interop: packages: $*" >&2; exit 1; }

[ "$(uname -sm)" = 'Linux x86_64' ] || { skip "this is no Linux on amd64"; exit 0; }
[ "$(id -u)" = 0 ] || { skip "chroot needs root"; exit 0; }

# have PROGRAM PACKAGE says whether a program is there. With CI set it is installed if it is not.
have() {
	command -v "$1" >/dev/null && return
	[ "${CI:-}" ] && command -v apt-get >/dev/null || return
	apt-get install -y --no-install-recommends "$2" >"$work/apt" 2>&1 ||
		{ apt-get update && apt-get install -y --no-install-recommends "$2"; } >"$work/apt" 2>&1 || return
	command -v "$1" >/dev/null
}

# tour ROOT TOOLS runs the examples of README and of the tour in a root, with the tools in its directory TOOLS. What it
# checks is the test that builds the tools elsewhere.
tour() {
	mkdir -p "$1/tour/docs" "$1/tour/home"
	cp "$work/docs.test" "$1/tour/docs/"
	cp "$root"/docs/*.md "$1/tour/docs/"
	cp "$root/README.md" "$1/tour/"
	chown -R 1000:1000 "$1/tour"
	# shellcheck disable=SC2016 # for the shell in there
	chroot --userspec=1000:1000 "$1" /usr/bin/env -i PATH=/usr/bin:/bin HOME=/tour/home TMPDIR=/tmp SESS_TOOLS="$2" \
		sh -euc 'cd /tour/docs && exec ./docs.test -test.v -test.run "^TestReadme$/^sh$"' >"$work/tour" 2>&1 ||
		{ cat "$work/tour"; fail "the tour failed in $1"; }
	grep -q '^    --- PASS: TestReadme/sh' "$work/tour" || { cat "$work/tour"; fail "the tour did not run in $1"; }
	rm -rf "$1/tour"
}

# boxed ROOT TOOLS is the tour in a root without a shell, which gets busybox for it.
boxed() {
	if ! have busybox busybox-static || ! busybox --list >"$work/applets"; then
		skip "no static busybox: no tour in $1"
		return 1
	fi
	mkdir -p "$1/bin" "$1/tmp" "$1/dev" "$1/usr/bin"
	chmod 1777 "$1/tmp"
	[ -c "$1/dev/null" ] || { rm -f "$1/dev/null"; mknod -m 666 "$1/dev/null" c 1 3; }
	cp "$(command -v busybox)" "$1/bin/"
	while read -r applet; do ln -s busybox "$1/bin/$applet"; done <"$work/applets" 2>/dev/null || :
	ln -s /bin/env "$1/usr/bin/env"
	tour "$1" "$2"
}

# listing ROOT lists all files, but those that installing anything changes.
listing() {
	(cd "$1" && find . -xdev ! -path './var/lib/dpkg/*' ! -path './var/log/*' ! -path './var/cache/*' ! -path './tmp/*' | LC_ALL=C sort)
}

(cd "$out" && sha256sum --quiet -c SHA256SUMS) || fail "the sums are wrong"
ok "SHA256SUMS"
set -- "$root"/cmd/sess*/main.go
number=$#
version=$(sed -n 's/^  version "\(.*\)"$/\1/p' "$out/sess.rb")
deb=$out/sess_${version}_amd64.deb rpm=$out/sess-$version.x86_64.rpm apk=$out/sess_${version}_x86_64.apk
(cd "$root" && CGO_ENABLED=0 go test -c -o "$work/docs.test" ./docs)

# tools NAME FILE wants a list of files to have all tools, and manual pages and completions.
tools() {
	[ "$(grep -c '^/\{0,1\}usr/bin/sess' "$2")" = "$number" ] || fail "$1: not all $number tools"
	for file in usr/share/man/man1/sess.1.gz usr/share/bash-completion/completions/sess usr/share/fish/vendor_completions.d/sess.fish; do
		grep -q "^/\{0,1\}$file\$" "$2" || fail "$1: no $file"
	done
}

# The archive, where a user unpacks it.
mkdir "$work/local"
tar -xzf "$out/sess_${version}_linux_amd64.tar.gz" --strip-components=1 -C "$work/local"
"$work/local/bin/sess-path" --version | grep -q "^sess-path v$version [0-9a-f]\{12\} (" || fail "the archive: $("$work/local/bin/sess-path" --version)"
ok "the archive"

# The sources: what is built of them says the same.
mkdir "$work/source"
tar -xzf "$out/sess-$version.tar.gz" --strip-components=1 -C "$work/source"
(cd "$work/source" && CGO_ENABLED=0 go build -tags urfave_cli_no_docs -o "$work/sess-path" ./cmd/sess-path)
[ "$("$work/sess-path" --version)" = "$("$work/local/bin/sess-path" --version)" ] || fail "the sources: $("$work/sess-path" --version)"
ok "the archive of the sources"

# debian makes a minimal Debian, once.
debian() {
	[ ! -e "$cache/debian-12.tar" ] || return 0
	have debootstrap debootstrap || return
	# shellcheck disable=SC2016 # for apt-get
	site=$(apt-get indextargets --format '$(SITE)' 2>/dev/null | head -n 1)
	debootstrap --variant=minbase bookworm "$work/debian.new" "${site:-http://deb.debian.org/debian}" >"$work/debootstrap" 2>&1 || return
	rm -rf "$work"/debian.new/var/cache/apt/archives/*.deb "$work"/debian.new/var/lib/apt/lists/*
	tar -cf "$cache/debian-12.tar.new" -C "$work/debian.new" .
	mv "$cache/debian-12.tar.new" "$cache/debian-12.tar"
	rm -rf "$work/debian.new"
}
if debian; then
	mkdir "$work/debian"
	tar -xf "$cache/debian-12.tar" -C "$work/debian"
	listing "$work/debian" >"$work/before"
	cp "$deb" "$work/debian/tmp/sess.deb"
	chroot "$work/debian" dpkg -i /tmp/sess.deb >"$work/dpkg" 2>&1 || { cat "$work/dpkg"; fail "dpkg -i failed"; }
	chroot "$work/debian" dpkg -L sess >"$work/deb.files"
	tools "the .deb" "$work/deb.files"
	tour "$work/debian" /usr/bin
	chroot "$work/debian" dpkg -V sess >"$work/dpkg" 2>&1 || { cat "$work/dpkg"; fail "dpkg -V failed"; }
	chroot "$work/debian" dpkg -r sess >"$work/dpkg" 2>&1 || { cat "$work/dpkg"; fail "dpkg -r failed"; }
	listing "$work/debian" >"$work/after"
	diff "$work/before" "$work/after" || fail "dpkg -r left something behind"
	ok "the .deb is installed, runs the examples of README and of the tour and is removed without a trace"
	tar -xzf "$out/sess_${version}_linux_amd64.tar.gz" --strip-components=1 -C "$work/debian/usr/local"
	tour "$work/debian" /usr/local/bin
	ok "the examples of README and of the tour from the archive"
else
	skip "a minimal Debian could not be made: the .deb was not installed, and nothing was run from the archive"
fi

if have lintian lintian; then
	lintian --allow-root --fail-on error,warning "$deb" >"$work/lintian" 2>&1 ||
		{ cat "$work/lintian"; fail "lintian"; }
	ok "lintian"
else
	skip "no lintian"
fi

if have rpm rpm; then
	rpm -K "$rpm" >"$work/rpm" || { cat "$work/rpm"; fail "rpm -K"; }
	rpm -qpl "$rpm" >"$work/rpm.files"
	tools "the .rpm" "$work/rpm.files"
	mkdir "$work/rpmroot"
	# Debian's rpm knows no package that is installed, so none can be missing.
	rpm --root "$work/rpmroot" --dbpath /var/lib/rpm -i --nodeps --ignorearch "$rpm" >"$work/rpm" 2>&1 || { cat "$work/rpm"; fail "rpm -i"; }
	cmp "$work/rpmroot/usr/bin/sess-path" "$work/local/bin/sess-path" || fail "the .rpm has other programs"
	cp -a "$work/rpmroot" "$work/rpmtour"
	! boxed "$work/rpmtour" /usr/bin || ok "the examples of README and of the tour from the .rpm"
	rm -rf "$work/rpmtour"
	rpm --root "$work/rpmroot" --dbpath /var/lib/rpm -e sess >"$work/rpm" 2>&1 || { cat "$work/rpm"; fail "rpm -e"; }
	[ -z "$(find "$work/rpmroot" -name 'sess*')" ] || fail "rpm -e left something behind"
	ok "rpm -K, -qpl, -i and -e"
else
	skip "no rpm"
fi

# Debian has no apk. tools/apk is what another implementation makes of a package, and it looks at its sums.
tar -tzf "$apk" >"$work/apk.files" 2>/dev/null
tools "the .apk" "$work/apk.files"
if (cd "$root/tools/apk" && go build -o "$work/apk" .) 2>"$work/apk.log"; then
	mkdir "$work/apkroot"
	"$work/apk" "$work/apkroot" "$apk" >"$work/apk.log" 2>&1 || { cat "$work/apk.log"; fail "the .apk cannot be installed"; }
	grep -q '^sess .* x86_64$' "$work/apk.log" || { cat "$work/apk.log"; fail "the .apk is another package"; }
	cmp "$work/apkroot/usr/bin/sess-path" "$work/local/bin/sess-path" || fail "the .apk has other programs"
	! boxed "$work/apkroot" /usr/bin || ok "the .apk is installed, and runs the examples of README and of the tour"
else
	tar -xzf "$apk" -O usr/bin/sess-path 2>/dev/null | cmp - "$work/local/bin/sess-path" || fail "the .apk has other programs"
	skip "the modules of tools/apk could not be had: of the .apk only the files were looked at"
fi

mkdir -p "$work/image/root"
tar -xf "$out/sess_${version}_linux_amd64_image.tar" -C "$work/image"
layers=$(cd "$work/image" && ls ./*.tar.gz)
tar -xzf "$work/image/$layers" -C "$work/image/root" # one layer: else there is no such file
find "$work/image/root" -type f >"$work/image/files"
grep -v -e '/usr/bin/sess[a-z-]*$' -e '/usr/share/doc/sess/LICENSE$' -e '/usr/share/doc/sess/NOTICES.txt$' "$work/image/files" &&
	fail "the image has more than the tools and their notices"
sed "s,^$work/image/root,," "$work/image/files" >"$work/image/names"
[ "$(grep -c '^/usr/bin/sess' "$work/image/names")" = "$number" ] || fail "the image: not all $number tools"
chroot --userspec=65534:65534 "$work/image/root" /usr/bin/sess path --version | grep -q "^sess-path v$version " ||
	fail "the image: sess does not run sess-path"
! boxed "$work/image/root" /usr/bin || ok "the examples of README and of the tour in the image"

if have ruby ruby; then
	ruby -c "$out/sess.rb" >"$work/ruby" 2>&1 || { cat "$work/ruby"; fail "the formula is no Ruby"; }
	ok "ruby -c of the formula"
else
	skip "no ruby: the formula of Homebrew was not parsed"
fi
if have nix-instantiate nix-bin; then
	nix-instantiate --parse "$out/sess.nix" >"$work/nix" 2>&1 || { cat "$work/nix"; fail "the expression is no Nix"; }
	ok "nix-instantiate --parse"
else
	skip "no nix: the expression was not parsed"
fi
