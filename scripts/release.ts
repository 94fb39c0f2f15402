// Builds a release in dist/release: executables with their contents' lists, image, installer, notes, checksums and
// signatures. Compiles the last commit in a separate directory, with packages installed from bun.lock.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { $ } from 'bun'
import manifest from '../package.json' with { type: 'json' }
import { commitOfBuild, commitVariables } from './build/commit.ts'
import { BASE_PACKAGES, debianMirror, findPackage } from './build/debian-packages.ts'
import { headerOfFile } from './build/executable-header.ts'
import { fileSha256 } from './build/file-sha256.ts'
import { writeImage } from './build/image.ts'
import type { ImagePlatform } from './build/image.ts'
import { installerFor, isReleaseAddress } from './build/installer.ts'
import { changesBefore, releaseNotes } from './build/release-notes.ts'
import { fetchRuntime, findRuntime } from './build/runtimes.ts'
import { isPublicKey, openSigner } from './build/signature.ts'
import type { Signer } from './build/signature.ts'
import { BUN_VERSION, IMAGE_TARGETS, RELEASE_TARGETS } from './build/targets.ts'
import type { ReleaseTarget } from './build/targets.ts'

const HELP = `Usage: scripts/release [--target NAME]… [--sign KEY | --release-key BASE64] [--base-url URL] [FLAG]…

  --target NAME         only this one, and may be given again: ${RELEASE_TARGETS.map(({ name }) => name).join(', ')}
  --sign KEY            sign with this secret key of minisign. A password is read from standard input
  --release-key BASE64  to compile the same bytes without the secret key: the second line of the public one
  --base-url URL        the folder on the web where the files will be, for install.sh
  --runtimes FOLDER     a node_modules that has the runtimes of Bun, so that none is fetched (default .tools/runtimes, into
                        which they are installed)
  --packages FOLDER     has the Debian packages of the image, so that none is fetched (default .tools/debian, into which
                        they are downloaded)

Writes into dist/release; the image only if both of its targets are wanted (${IMAGE_TARGETS.map(({ name }) => name).join(' and ')}).
Exits with 1 if the release could not be made, with 2 on a usage error, and with 3 if a runtime or Debian package is missing
or is not the pinned one: the rest is made all the same.`

const OUTPUT = 'dist/release'

interface Ready {
  readonly target: ReleaseTarget
  readonly runtime: string
}

process.exit(await release(process.argv.slice(2)))

async function release(argv: readonly string[]): Promise<number> {
  const asked = readArguments(argv)
  if (typeof asked === 'number') return asked
  const ready: Ready[] = []
  for (const target of asked.targets) {
    const { runtimes } = asked
    const found = await (runtimes === null
      ? fetchRuntime(target, '.tools/runtimes', process.env)
      : findRuntime(target, runtimes))
    if (found.kind === 'found') ready.push({ target, runtime: resolve(found.path) })
    else console.error(`release: no executable for ${target.name}: ${found.reason}`)
  }
  if (ready.length === 0) return 3
  const platforms = await platformsOfImage(ready, asked)
  const complete = ready.length === asked.targets.length && platforms !== null
  const refusal = await refusalOf()
  if (refusal !== null) return failed(refusal)
  const signer = asked.sign === null ? null : await openSigner(asked.sign, passwordFromInput)
  if (signer !== null && 'problem' in signer) return failed(signer.problem)
  const made = await make(ready, platforms ?? [], signer, asked)
  return made ? (complete ? 0 : 3) : 1
}

/** A number: the exit code, after printing the reason. */
function readArguments(argv: readonly string[]) {
  const { values, problem } = parsed(argv)
  if (values?.help) {
    console.log(HELP)
    return 0
  }
  if (values === null) return misused(problem)
  const { target: names = [], runtimes = null, packages = null, sign = null, 'base-url': baseUrl = null } = values
  const { 'release-key': releaseKey = '' } = values
  const unknown = names.find((name) => RELEASE_TARGETS.every((target) => target.name !== name))
  if (unknown !== undefined) return misused(`"${unknown}" is not a target`)
  if (sign !== null && releaseKey !== '') return misused("--release-key can't be combined with --sign")
  if (releaseKey !== '' && !isPublicKey(releaseKey)) return misused('--release-key: not a public key of minisign')
  if (baseUrl !== null && !isReleaseAddress(baseUrl)) {
    return misused(`--base-url: "${baseUrl}" must start with https:// and have no spaces, quotes, "@", "?" or "#"`)
  }
  const targets = RELEASE_TARGETS.filter(({ name }) => names.length === 0 || names.includes(name))
  return { targets, runtimes, packages, sign, releaseKey, baseUrl }
}

type Asked = Exclude<ReturnType<typeof readArguments>, number>

function parsed(argv: readonly string[]) {
  const options = {
    target: { type: 'string', multiple: true },
    runtimes: { type: 'string' },
    packages: { type: 'string' },
    sign: { type: 'string' },
    'release-key': { type: 'string' },
    'base-url': { type: 'string' },
    help: { type: 'boolean', default: false },
  } as const
  try {
    return { values: parseArgs({ args: [...argv], options }).values, problem: null }
  } catch (error) {
    return { values: null, problem: (error as Error).message }
  }
}

/** Why nothing can be released, if so. */
async function refusalOf(): Promise<string | null> {
  if (Bun.version !== BUN_VERSION) return `a release is compiled by Bun ${BUN_VERSION}, and this is ${Bun.version}`
  const changed = (await $`git status --porcelain --untracked-files=no`.text()).trimEnd()
  return changed === '' ? null : `only what is committed can be released, and this is not:\n${changed}`
}

/** Empty: no image wanted. `null`: it can't be built. */
async function platformsOfImage(
  ready: readonly Ready[],
  { targets, packages }: Asked,
): Promise<readonly ImagePlatform[] | null> {
  if (IMAGE_TARGETS.some(({ name }) => targets.every((target) => target.name !== name))) return []
  const missing = IMAGE_TARGETS.find(({ name }) => ready.every(({ target }) => target.name !== name))
  if (missing !== undefined) return none(`there is no executable for ${missing.name}`)
  if (Bun.which('dpkg-deb') === null) return none('unpacking the packages of Debian needs the program dpkg-deb')
  const [folder, mirror] = packages === null ? ['.tools/debian', await debianMirror()] : [packages, null]
  const platforms: ImagePlatform[] = []
  for (const { name, architecture } of IMAGE_TARGETS) {
    const paths: string[] = []
    for (const wanted of BASE_PACKAGES.filter((each) => each.architecture === architecture)) {
      const found = await findPackage(wanted, folder, mirror)
      if (found.kind === 'none') return none(found.reason)
      paths.push(found.path)
    }
    platforms.push({ architecture, executable: pathOf(name), packages: paths })
  }
  return platforms
}

/** Returns whether everything was built; reports what was not. */
async function make(
  ready: readonly Ready[],
  platforms: readonly ImagePlatform[],
  signer: Signer | null,
  asked: Asked,
): Promise<boolean> {
  rmSync(OUTPUT, { recursive: true, force: true })
  mkdirSync(OUTPUT, { recursive: true })
  const { version } = manifest
  const commit = await commitOfBuild(process.env)
  const releaseKey = signer?.publicKey ?? asked.releaseKey
  const source = mkdtempSync(join(tmpdir(), 'bellhop-release-'))
  const files: string[] = []
  try {
    await $`git archive HEAD | tar -x -C ${source}`
    const install = ['install', '--frozen-lockfile', '--production', '--ignore-scripts', '--silent']
    if (!run(install, source, process.env)) return said('its packages could not be installed')
    for (const { target, runtime } of ready) {
      const executable = pathOf(target.name)
      const sbom = `${executable}.cdx.json`
      const where = ['--target', `bun-${target.name}`, '--runtime', runtime, '--outfile', executable, '--sbom', sbom]
      const args = ['scripts/build.ts', ...where, '--release-key', releaseKey]
      if (!run(args, source, { ...process.env, ...commitVariables(commit) })) {
        return said(`${target.name} could not be compiled`)
      }
      const header = await headerOfFile(executable)
      if (header !== target.header) return said(`${target.name} is ${header}, not ${target.header}`)
      files.push(executable, sbom)
      console.log(`${basename(executable)}: ${header}`)
    }
    if (platforms.length > 0) {
      const image = pathOf('oci')
      await writeImage(image, version, commit, platforms)
      files.push(`${image}.tar`)
      console.log(`${basename(image)}: an image for ${platforms.map(({ architecture }) => architecture).join(' and ')}`)
    }
    const changelog = readFileSync(join(source, 'src/manual/changelog.md'), 'utf8')
    files.push(written('RELEASE-NOTES.md', releaseNotes(version, commit, await changesBefore(version), changelog)))
    const script = readFileSync(join(source, 'scripts/install.sh'), 'utf8')
    files.push(written('install.sh', installerFor(script, asked.baseUrl ?? '', releaseKey)))
  } finally {
    rmSync(source, { recursive: true })
  }
  const sums = await Promise.all(files.map(async (path) => `${await fileSha256(path)}  ${basename(path)}\n`))
  const checksums = written('SHA256SUMS', sums.join(''))
  // The comment names its file, so that no signature fits another file.
  for (const { target } of ready) signer?.sign(pathOf(target.name), `bellhop ${version} ${target.name}`)
  signer?.sign(checksums, `bellhop ${version} SHA256SUMS`)
  return true
}

function pathOf(target: string): string {
  return resolve(OUTPUT, `bellhop-${manifest.version}-${target}`)
}

/** Returns the new file's path. */
function written(name: string, text: string): string {
  const path = resolve(OUTPUT, name)
  writeFileSync(path, text)
  return path
}

async function passwordFromInput(): Promise<string | null> {
  return process.stdin.isTTY ? null : ((await Bun.stdin.text()).split('\n')[0] ?? '')
}

function run(args: readonly string[], cwd: string, env: Readonly<Record<string, string | undefined>>): boolean {
  return Bun.spawnSync([process.execPath, ...args], { cwd, env, stdout: 'ignore', stderr: 'inherit' }).success
}

function said(problem: string): false {
  console.error(`release: ${problem}`)
  return false
}

function none(reason: string): null {
  console.error(`release: no image: ${reason}`)
  return null
}

function failed(problem: string): 1 {
  console.error(`release: ${problem}`)
  return 1
}

function misused(problem: string | null): 2 {
  console.error(`release: ${problem}\n\n${HELP}`)
  return 2
}
