// Compiles a release into dist/release: an executable for each target, the list of what is inside it, and the checksums of
// both. What is compiled is the last commit, in a directory of its own, with packages installed anew by bun.lock.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { $ } from 'bun'
import manifest from '../package.json' with { type: 'json' }
import { commitOfBuild, commitVariables } from './build/commit.ts'
import { headerOfFile } from './build/executable-header.ts'
import { fileSha256 } from './build/file-sha256.ts'
import { fetchRuntime, findRuntime } from './build/runtimes.ts'
import { BUN_VERSION, RELEASE_TARGETS } from './build/targets.ts'
import type { ReleaseTarget } from './build/targets.ts'

const HELP = `Usage: scripts/release [--target NAME]… [--runtimes FOLDER]

  --target NAME      only this one, and may be given again: ${RELEASE_TARGETS.map(({ name }) => name).join(', ')}
  --runtimes FOLDER  a node_modules that has the runtimes of Bun, so that none is fetched (default .tools/runtimes, into
                     which they are installed)

Writes into dist/release. Exits with 1 where the release could not be compiled, with 2 where it was not asked for rightly,
and with 3 where a runtime cannot be had or is another one than it should be: the other targets are compiled all the same.`

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
  const incomplete = ready.length < asked.targets.length ? 3 : 0
  if (ready.length === 0) return incomplete
  const refusal = await refusalOf()
  if (refusal !== null) {
    console.error(`release: ${refusal}`)
    return 1
  }
  return (await compile(ready)) ? incomplete : 1
}

/** What is asked for; a number: the exit code, after what there was to say. */
function readArguments(argv: readonly string[]) {
  const { values, problem } = parsed(argv)
  if (values?.help) {
    console.log(HELP)
    return 0
  }
  const names = values?.target ?? []
  const unknown = names.filter((name) => RELEASE_TARGETS.every((target) => target.name !== name))
  if (values === null || unknown.length > 0) {
    console.error(`release: ${problem ?? `"${unknown[0]}" is not a target`}\n\n${HELP}`)
    return 2
  }
  const targets = RELEASE_TARGETS.filter(({ name }) => names.length === 0 || names.includes(name))
  return { targets, runtimes: values.runtimes ?? null }
}

function parsed(argv: readonly string[]) {
  const options = {
    target: { type: 'string', multiple: true },
    runtimes: { type: 'string' },
    help: { type: 'boolean', default: false },
  } as const
  try {
    return { values: parseArgs({ args: [...argv], options }).values, problem: null }
  } catch (error) {
    return { values: null, problem: (error as Error).message }
  }
}

/** Why nothing can be released; `null`: it can. */
async function refusalOf(): Promise<string | null> {
  if (Bun.version !== BUN_VERSION) return `a release is compiled by Bun ${BUN_VERSION}, and this is ${Bun.version}`
  const changed = (await $`git status --porcelain --untracked-files=no`.text()).trimEnd()
  return changed === '' ? null : `only what is committed can be released, and this is not:\n${changed}`
}

/** Whether all was compiled; says what was not. */
async function compile(ready: readonly Ready[]): Promise<boolean> {
  rmSync(OUTPUT, { recursive: true, force: true })
  mkdirSync(OUTPUT, { recursive: true })
  const commit = await commitOfBuild(process.env)
  const source = mkdtempSync(join(tmpdir(), 'bellhop-release-'))
  try {
    await $`git archive HEAD | tar -x -C ${source}`
    const install = ['install', '--frozen-lockfile', '--production', '--ignore-scripts', '--silent']
    if (!run(install, source, process.env)) return said('its packages could not be installed')
    const sums: string[] = []
    for (const { target, runtime } of ready) {
      const name = `bellhop-${manifest.version}-${target.name}`
      const executable = resolve(OUTPUT, name)
      const sbom = `${executable}.cdx.json`
      const where = ['--target', `bun-${target.name}`, '--runtime', runtime, '--outfile', executable, '--sbom', sbom]
      if (!run(['scripts/build.ts', ...where], source, { ...process.env, ...commitVariables(commit) })) {
        return said(`${target.name} could not be compiled`)
      }
      const header = await headerOfFile(executable)
      if (header !== target.header) return said(`${target.name} is ${header}, not ${target.header}`)
      for (const path of [executable, sbom]) sums.push(`${await fileSha256(path)}  ${basename(path)}`)
      console.log(`${name}: ${header}`)
    }
    await Bun.write(join(OUTPUT, 'SHA256SUMS'), `${sums.join('\n')}\n`)
    return true
  } finally {
    rmSync(source, { recursive: true })
  }
}

function run(args: readonly string[], cwd: string, env: Readonly<Record<string, string | undefined>>): boolean {
  return Bun.spawnSync([process.execPath, ...args], { cwd, env, stdout: 'ignore', stderr: 'inherit' }).success
}

function said(problem: string): false {
  console.error(`release: ${problem}`)
  return false
}
