package main

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/sess-tools/sess/tools/release/names"
)

// formula is a formula of Homebrew for the archives that were made.
func (b *build) formula() []byte {
	var out strings.Builder
	fmt.Fprintf(&out, `# Made by scripts/release. It installs what was built, and checks its SHA-256 sum.
class Sess < Formula
  desc %q
  homepage %q
  version %q
  license "MIT"
`, summary, homepage, b.version)
	for _, os := range []struct{ block, os string }{{"on_macos", "darwin"}, {"on_linux", "linux"}} {
		var blocks strings.Builder
		for _, arch := range []struct{ block, arch string }{{"on_arm", "arm64"}, {"on_intel", "amd64"}} {
			if name := names.Archive(b.version, names.Target{OS: os.os, Arch: arch.arch}); b.sums[name] != "" {
				fmt.Fprintf(&blocks, "    %s do\n      url %q\n      sha256 %q\n    end\n", arch.block, names.URL(b.version, name), b.sums[name])
			}
		}
		if blocks.Len() > 0 {
			fmt.Fprintf(&out, "\n  %s do\n%s  end\n", os.block, &blocks)
		}
	}
	fmt.Fprintf(&out, `
  def install
    bin.install Dir["bin/*"]
    man1.install Dir["share/man/man1/*"]
    man5.install Dir["share/man/man5/*"]
    man7.install Dir["share/man/man7/*"]
    bash_completion.install Dir["share/bash-completion/completions/*"]
    zsh_completion.install Dir["share/zsh/site-functions/*"]
    fish_completion.install Dir["share/fish/vendor_completions.d/*"]
    doc.install Dir["share/doc/sess/*"]
    pkgshare.install Dir["share/sess/*"]
  end

  test do
    assert_match "v%s", shell_output("#{bin}/sess-new --version")
    system "#{bin}/sess-new", "--cwd", "/", "-o", "s.jsonl"
    system "#{bin}/sess-check", "s.jsonl"
  end
end
`, b.version)
	return []byte(out.String())
}

// systems are the names that Nix has for the targets.
var systems = map[names.Target]string{
	{OS: "linux", Arch: "amd64"}: "x86_64-linux", {OS: "linux", Arch: "arm64"}: "aarch64-linux",
	{OS: "darwin", Arch: "amd64"}: "x86_64-darwin", {OS: "darwin", Arch: "arm64"}: "aarch64-darwin",
}

// nix is an expression of Nix for the archives that were made: nix-env -if sess.nix, or callPackage.
func (b *build) nix() []byte {
	var out strings.Builder
	fmt.Fprintf(&out, `# Made by scripts/release. It installs what was built, and checks its SHA-256 sum.
{ pkgs ? import <nixpkgs> { }
, stdenvNoCC ? pkgs.stdenvNoCC
, fetchurl ? pkgs.fetchurl
}:

let
  archives = {
`)
	for _, t := range b.targets {
		name := names.Archive(b.version, t)
		sum, _ := hex.DecodeString(b.sums[name]) // it was encoded by us
		fmt.Fprintf(&out, "    %s = {\n      url = %q;\n      hash = \"sha256-%s\";\n    };\n", systems[t], names.URL(b.version, name), base64.StdEncoding.EncodeToString(sum))
	}
	fmt.Fprintf(&out, `  };
  system = stdenvNoCC.hostPlatform.system;
in
stdenvNoCC.mkDerivation {
  pname = "sess";
  version = %q;
  src = fetchurl (archives.${system} or (throw "sess: not built for ${system}"));
  dontConfigure = true;
  dontBuild = true;
  dontStrip = true;
  installPhase = ''
    mkdir -p $out
    cp -r bin share $out/
  '';
  meta = {
    description = %q;
    homepage = %q;
    license = pkgs.lib.licenses.mit;
    mainProgram = "sess";
    platforms = builtins.attrNames archives;
  };
}
`, b.version, summary, homepage)
	return []byte(out.String())
}
