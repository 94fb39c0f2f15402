import { existsSync } from 'node:fs'
import { chmod, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { $ } from 'bun'
import { debianMirror } from './build/debian-packages.ts'

/** Debian 13, the first with a Swift compiler. */
const SUITE = 'trixie'
const KEYS = '/usr/share/keyrings/debian-archive-keyring.gpg'

/**
 * Unpacks Debian's Swift compiler and its libraries into `folder`, apart from the system, on any Debian release:
 * downloads 550 MB, takes 2.5 GB on disk and two minutes. `run FOLDER COMMAND` there runs a command with FOLDER as
 * /work. Returns why it failed, if it did.
 */
export async function installSwift(folder: string): Promise<string | null> {
  const run = join(folder, 'run')
  if (existsSync(run)) return null
  const mirror = await debianMirror()
  if (mirror === null || ['dpkg-deb', 'unshare'].some((name) => Bun.which(name) === null))
    return 'Swift is left out: it needs a Debian machine, with unshare.'

  const root = join(folder, 'root')
  await rm(folder, { recursive: true, force: true })
  await mkdir(join(folder, 'apt/lists/partial'), { recursive: true })
  await mkdir(join(folder, 'apt/archives/partial'), { recursive: true })
  // Nothing counts as installed, so that all libraries come.
  await Bun.write(join(folder, 'apt/status'), '')
  await Bun.write(join(folder, 'apt/sources.list'), `deb [signed-by=${KEYS}] ${mirror} ${SUITE} main\n`)
  const config = join(folder, 'apt/apt.conf')
  await Bun.write(config, aptConfig(join(folder, 'apt')))
  const apt = $.env({ ...process.env, APT_CONFIG: config })
  await apt`apt-get update`.nothrow()
  const { exitCode } =
    await apt`apt-get install --yes --download-only --no-install-recommends swiftlang libc6-dev`.nothrow()
  if (exitCode !== 0) return `Swift is left out: this machine's mirror does not serve Debian's ${SUITE}.`

  // From the package base-files, on which nothing here depends.
  await mkdir(root, { recursive: true })
  for (const name of ['bin', 'sbin', 'lib', 'lib64']) await $`ln -s usr/${name} ${join(root, name)}`
  for (const name of ['proc', 'dev', 'tmp', 'work']) await mkdir(join(root, name))
  const packages = await Array.fromAsync(new Bun.Glob('archives/*.deb').scan(join(folder, 'apt')))
  for (const name of packages) await $`dpkg-deb --extract ${join(folder, 'apt', name)} ${root}`
  await rm(join(folder, 'apt'), { recursive: true })
  await Bun.write(run, RUN)
  await chmod(run, 0o755)
  const tried = await $`${run} ${folder} swiftc --version`.nothrow()
  if (tried.exitCode === 0) return null
  await rm(run)
  return 'Swift is left out: unshare cannot make a root of its own here.'
}

/** `null`: this machine does not use Debian. */
function aptConfig(folder: string): string {
  return [
    `Dir::State "${folder}";`,
    `Dir::State::lists "${folder}/lists";`,
    `Dir::State::status "${folder}/status";`,
    `Dir::Cache "${folder}";`,
    `Dir::Cache::archives "${folder}/archives";`,
    `Dir::Etc::sourcelist "${folder}/sources.list";`,
    'Dir::Etc::sourceparts "-";',
    // Works without the system's locks and root.
    'Debug::NoLocking "true";',
    'APT::Sandbox::User "root";',
    '',
  ].join('\n')
}

/** The compiler needs a recent libc and starts its parts by absolute path: hence its own root. */
const RUN = `#!/bin/sh
export BELLHOP_ROOT="$(dirname "$(realpath "$0")")/root" BELLHOP_WORK="$1"
shift
exec unshare --map-root-user --mount sh -c '
  mount --rbind /proc "$BELLHOP_ROOT/proc" &&
  mount --rbind /dev "$BELLHOP_ROOT/dev" &&
  mount --bind "$BELLHOP_WORK" "$BELLHOP_ROOT/work" &&
  export HOME=/tmp PATH="/usr/libexec/swift/bin:$PATH:/usr/sbin" &&
  exec chroot "$BELLHOP_ROOT" "$@"' sh "$@"
`
