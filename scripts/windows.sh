#!/bin/sh
# Builds Crownhead for Windows (x86-64) on Debian and packs a zip for players.
#
#   scripts/windows.sh          the programs and the CheckerBoard engine, into target/windows/
#   scripts/windows.sh test     the test suite of the Windows build, under Wine (in a folder of its
#                               own below target/windows/); further words go to cargo test
#
# Needs the Debian packages gcc-mingw-w64-x86-64 and zip, and wine64 and wine for the tests. The
# standard library is compiled from the source that belongs to the host's own compiler: rustup's
# component rust-src if it is there, else Debian's package rust-src of exactly that version, from
# whichever suite carries it (SUITES, newest last resort). Nothing is installed.
set -eu
cd "$(dirname "$0")/.."

target=x86_64-pc-windows-gnu
dir=$PWD/target/windows
suites=${SUITES:-"stable stable-backports testing unstable"}
version=$(rustc --version | cut -d' ' -f2)

need() {
    command -v "$1" >/dev/null || { echo "error: $1 is missing; apt-get install $2" >&2; exit 2; }
}

# apt with its own lists and one suite, so that nothing of the machine's own set-up changes.
apt() {
    tool=$1
    shift
    "$tool" -o Dir::Etc::sourcelist="$dir/apt/sources.list" -o Dir::Etc::sourceparts=/dev/null \
        -o Dir::State="$dir/apt/state" -o Dir::State::status=/var/lib/dpkg/status \
        -o Dir::Cache="$dir/apt/cache" -o APT::Sandbox::User=root "$@"
}

# The full version of the package in the suite that has it; leaves that suite configured.
find_source() {
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' |
        grep '/debian/*$' | head -n 1)
    mkdir -p "$dir/apt/state/lists/partial" "$dir/apt/cache/archives/partial"
    for suite in $suites; do
        keys=/usr/share/keyrings/debian-archive-keyring.gpg
        echo "deb [signed-by=$keys] $mirror $suite main" >"$dir/apt/sources.list"
        apt apt-get update -qq || continue
        found=$(apt apt-cache madison rust-src |
            awk -v wanted="$version" 'index($3, wanted "+") == 1 { print $3; exit }')
        if [ -n "$found" ]; then
            echo "$found"
            return
        fi
    done
    echo "error: no rust-src $version in: $suites" >&2
    exit 1
}

# A copy of the toolchain that has the source of its standard library.
prepare() {
    sysroot=$(rustc --print sysroot)
    if [ -e "$sysroot/lib/rustlib/src/rust/library/std/Cargo.toml" ]; then
        toolchain=$sysroot
        return
    fi
    toolchain=$dir/toolchain-$version
    [ -e "$toolchain/lib/rustlib/src/rust/library/std/Cargo.toml" ] && return
    need dpkg-deb dpkg
    full=$(find_source)
    (cd "$dir/apt" && rm -f ./*.deb && apt apt-get download -qq "rust-src=$full")
    rm -rf "$toolchain"
    cp -al "$sysroot" "$toolchain" 2>/dev/null || cp -a "$sysroot" "$toolchain"
    mkdir -p "$toolchain/lib/rustlib/src/rust"
    dpkg-deb --fsys-tarfile "$dir"/apt/rust-src_*.deb |
        tar x -C "$toolchain/lib/rustlib/src/rust" --strip-components=5 \
            "./usr/src/rustc-$version/library"
    mv "$toolchain/lib/rustlib/src/rust" "$toolchain/lib/rustlib/src/library"
    mkdir "$toolchain/lib/rustlib/src/rust"
    mv "$toolchain/lib/rustlib/src/library" "$toolchain/lib/rustlib/src/rust/library"
}

# Building the standard library is a feature of nightly; the source is that of this compiler.
for_windows() {
    command=$1
    shift
    PATH=$toolchain/bin:$PATH RUSTC_BOOTSTRAP=1 \
        CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER=x86_64-w64-mingw32-gcc \
        CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER=wine \
        cargo "$command" -Z build-std=std,panic_unwind --target $target --locked "$@"
}

# A Wine folder of its own, with what an old Wine lacks.
prepare_wine() {
    export WINEPREFIX="$dir/wine" WINEARCH=win64 WINEDEBUG="${WINEDEBUG:--all}"
    export WINEDLLOVERRIDES="mscoree,mshtml="
    system=$WINEPREFIX/drive_c/windows/system32
    [ -d "$system" ] || wine wineboot --init >"$dir/wine.log" 2>&1
    [ -e "$system/bcryptprimitives.dll" ] || x86_64-w64-mingw32-gcc -O2 -shared \
        scripts/windows/bcryptprimitives.c -o "$system/bcryptprimitives.dll" -ladvapi32
}

pack() {
    need zip zip
    name=crownhead-$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)-windows
    rm -rf "${dir:?}/$name" "$dir/$name.zip"
    mkdir -p "$dir/$name/engines"
    built=target/$target/release
    cp "$built/crownhead.exe" "$built/tablebase-gen.exe" "$dir/$name"
    cp "$built/crownhead64.dll" scripts/windows/crownhead.htm "$dir/$name/engines"
    # Windows' oldest editor wants its own line ends.
    for text in scripts/windows/INSTALL.txt LICENSE; do
        sed 's/$/\r/' "$text" >"$dir/$name/$(basename "$text" .txt).txt"
    done
    (cd "$dir" && zip -qr "$name.zip" "$name")
    echo "$dir/$name.zip"
}

need x86_64-w64-mingw32-gcc gcc-mingw-w64-x86-64
mkdir -p "$dir"
prepare
case ${1:-build} in
build)
    for_windows build --release -p crownhead -p tablebase-gen -p crownhead-checkerboard
    pack
    ;;
test)
    need wine "wine wine64"
    prepare_wine
    shift
    for_windows test --workspace --no-fail-fast "$@"
    ;;
*)
    echo "usage: scripts/windows.sh [test [...]]" >&2
    exit 2
    ;;
esac
