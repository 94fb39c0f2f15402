#!/bin/sh
# Installs Bellhop: downloads the executable for this machine, checks it, and puts it into its folder. --help.
set -eu
umask 022

# Set by scripts/release: the folder of the release on the web, and the public key that it is signed with.
RELEASES=''
RELEASE_KEY=''

usage() {
  cat <<'HELP'
Usage: sh install.sh [--from URL] [--to FOLDER] [--version VERSION] [--key BASE64] [--dry-run]

  --from URL         the folder of the release on the web (also BELLHOP_RELEASES)
  --to FOLDER        where to (default: /usr/local/bin as root, else ~/.local/bin)
  --version VERSION  refuse any other version
  --key BASE64       the public key that the release must be signed with; needs minisign
  --dry-run          say what would be done, and do nothing

Checks the SHA-256 of the executable, and the signature of the checksums if minisign is installed. Changes nothing unless all
fits. Exits with 1 on a failure and with 2 on a usage error.
HELP
}

say() { printf '%s\n' "$*"; }
fail() {
  printf 'install: %s\n' "$*" >&2
  exit 1
}
misuse() {
  printf 'install: %s\n\n' "$*" >&2
  usage >&2
  exit 2
}
has() { command -v "$1" >/dev/null 2>&1; }

# Succeeds for https, and for http on this machine. No @: what is in front of it would look like the host.
is_safe() {
  case $1 in
    *[!][A-Za-z0-9._~%/:+-]*) return 1 ;;
    https://?* | 'http://127.0.0.1'[:/]* | 'http://localhost'[:/]* | 'http://[::1]'[:/]*) ;;
    *) return 1 ;;
  esac
}

# Writes what is at $1 to standard output.
download() {
  if has curl; then
    case $1 in https:*) schemes='=https' ;; *) schemes='=http,https' ;; esac
    curl --proto "$schemes" -fsSL --connect-timeout 30 --speed-limit 1000 --speed-time 60 "$1"
  else
    wget -q -t 3 -O - "$1"
  fi
}

sha256_of() {
  if has sha256sum; then
    sha256sum <"$1"
  elif has shasum; then
    shasum -a 256 <"$1"
  else
    openssl dgst -sha256 -r <"$1"
  fi | cut -c 1-64
}

# linux-x64, linux-arm64-musl, darwin-arm64.
target_of_machine() {
  case $(uname -m) in
    x86_64 | amd64) machine=x64 glibc=/lib64/ld-linux-x86-64.so.2 musl=/lib/ld-musl-x86_64.so.1 ;;
    aarch64 | arm64) machine=arm64 glibc=/lib/ld-linux-aarch64.so.1 musl=/lib/ld-musl-aarch64.so.1 ;;
    *) fail "there is no Bellhop for processors of type $(uname -m): only for x64 and arm64" ;;
  esac
  case $(uname -s) in
    Darwin) say "darwin-$machine" ;;
    Linux)
      # Either library may be installed beside the system's own; ldd belongs to that one.
      if [ -e $glibc ] && ! (ldd --version 2>&1 || true) | grep -qi musl; then
        say "linux-$machine"
      elif [ -e $musl ]; then
        say "linux-$machine-musl"
      else
        fail "this machine has neither glibc nor musl for $machine"
      fi
      ;;
    *) fail "there is no Bellhop for $(uname -s): only for Linux and macOS" ;;
  esac
}

# In $work, before anything else is believed: that the checksums are those of $version, signed with $key.
check_signature() {
  if [ -z "$key" ]; then
    say 'Signature: not checked, this installer knows no key.'
  elif ! has minisign; then
    [ "$key_given" = no ] || fail '--key needs the program minisign'
    say 'Signature: not checked, minisign is not installed.'
  else
    download "$from/SHA256SUMS.minisig" >"$work/SHA256SUMS.minisig" || fail 'the signature could not be downloaded'
    printf '%s\n' "$sums" >"$work/SHA256SUMS"
    signed=$(minisign -V -Q -P "$key" -m "$work/SHA256SUMS" 2>/dev/null) || fail 'the signature does not fit'
    [ "$signed" = "bellhop $version SHA256SUMS" ] || fail "the signature is for something else: $signed"
    say 'Signature: valid.'
  fi
}

main() {
  from=${BELLHOP_RELEASES:-$RELEASES} key=$RELEASE_KEY key_given=no to='' wanted='' dry_run=no
  while [ $# -gt 0 ]; do
    case $1 in
      --dry-run) dry_run=yes ;;
      --help) usage && exit 0 ;;
      --from | --to | --version | --key)
        [ -n "${2:-}" ] || misuse "$1 needs a value"
        case $1 in
          --from) from=$2 ;;
          --to) to=$2 ;;
          --version) wanted=${2#v} ;;
          --key) key=$2 key_given=yes ;;
        esac
        shift
        ;;
      *) misuse "unknown argument: $1" ;;
    esac
    shift
  done
  [ -n "$from" ] || misuse '--from is missing: where is the release?'
  from=${from%/}
  is_safe "$from" || misuse "--from must start with https:// (http:// only on this machine): $from"
  if [ -z "$to" ]; then
    if [ "$(id -u)" = 0 ]; then to=/usr/local/bin; else to=${HOME:?}/.local/bin; fi
  fi

  has curl || has wget || fail 'this needs curl or wget'
  has sha256sum || has shasum || has openssl || fail 'this needs sha256sum, shasum or openssl'
  [ ! -d "$to/bellhop" ] || fail "$to/bellhop is a folder: choose another one with --to"
  target=$(target_of_machine)
  # BusyBox by itself trusts every certificate, and says so; with Alpine's helper, it checks them.
  case $from in https:*)
    has curl || ! wget -q -t 3 -O - "$from/SHA256SUMS" 2>&1 | grep -q 'validation not implemented' ||
      fail 'this wget does not check certificates: install curl'
    ;;
  esac
  sums=$(download "$from/SHA256SUMS") || fail "$from/SHA256SUMS could not be downloaded"
  line=$(printf '%s\n' "$sums" | grep -E "^[0-9a-f]{64}  bellhop-[0-9][0-9A-Za-z.+-]*-$target\$") ||
    fail "this release has no executable for $target"
  [ "$(printf '%s\n' "$line" | wc -l)" -eq 1 ] || fail "this release has several executables for $target"
  expected=${line%% *} name=${line##* }
  version=${name#bellhop-} version=${version%-"$target"}
  [ -z "$wanted" ] || [ "$version" = "$wanted" ] || fail "this release is $version, not $wanted"

  say "Bellhop $version for $target"
  say "  from  $from/$name"
  if [ ! -e "$to/bellhop" ]; then
    say "  to    $to/bellhop"
  elif [ "$(sha256_of "$to/bellhop")" = "$expected" ]; then
    say "  is already installed: $to/bellhop"
    exit 0
  else
    say "  to    $to/bellhop, replacing the one that is there"
  fi
  if [ $dry_run = yes ]; then
    say 'Nothing was changed (--dry-run).'
    exit 0
  fi

  mkdir -p "$to" || fail "$to cannot be created: choose another folder with --to"
  # Beside its place, so that it can be renamed into it in one step.
  work=$(mktemp -d "$to/.bellhop-XXXXXX") || fail "$to cannot be written to: choose another folder with --to"
  trap 'rm -rf "$work"' EXIT
  trap 'exit 1' HUP INT TERM
  check_signature
  download "$from/$name" >"$work/bellhop" || fail 'the executable could not be downloaded'
  [ "$(sha256_of "$work/bellhop")" = "$expected" ] || fail 'the checksum of the executable is wrong: nothing was installed'
  say 'Checksum: fits.'
  chmod 755 "$work/bellhop"
  if ! says=$("$work/bellhop" --version 2>&1); then
    case $target in *-musl) hint=' (on Alpine: apk add libstdc++)' ;; *) hint='' ;; esac
    fail "it does not run here$hint: $(printf '%s\n' "$says" | sed 1q)"
  fi
  mv -f "$work/bellhop" "$to/bellhop"
  say "Installed: $says"
  case :$PATH: in
    *":$to:"*) say 'Next: bellhop serve' ;;
    *) say "Next: add $to to your PATH, and run: bellhop serve" ;;
  esac
}

# At the end, so that nothing happens if this script arrives in part.
main "$@"
