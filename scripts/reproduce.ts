// Whether a build depends on where, when and by whom it is made: compiles a copy of the checkout in another directory
// and environment, and compares it with dist/bellhop.
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundledFiles } from './build/bundle.ts'
import { commitOfBuild, commitVariables } from './build/commit.ts'
import { packageDirectories } from './build/packages.ts'

/** Everything a build reads; only imported packages. */
const READ = [
  'package.json',
  'bun.lock',
  'bunfig.toml',
  'tsconfig.json',
  'LICENSE',
  'migrations',
  'src',
  'scripts/build.ts',
  'scripts/build',
  ...packageDirectories(await bundledFiles()),
]

const copy = mkdtempSync(join(tmpdir(), 'bellhop-reproduce-'))
try {
  for (const path of READ) cpSync(path, join(copy, path), { recursive: true })
  const elsewhere = { HOME: copy, TZ: 'Pacific/Kiritimati', LANG: 'tr_TR.UTF-8', USER: 'somebody' }
  const { exitCode } = Bun.spawnSync([process.execPath, 'scripts/build.ts', '--outfile', 'elsewhere/second'], {
    cwd: copy,
    env: { PATH: process.env['PATH'], ...elsewhere, ...commitVariables(await commitOfBuild(process.env)) },
    stdout: 'ignore',
    stderr: 'inherit',
  })
  if (exitCode !== 0) throw new Error('the copy could not be compiled')
  const [first, second] = [readFileSync('dist/bellhop'), readFileSync(join(copy, 'elsewhere/second'))]
  if (!first.equals(second)) {
    // -1: one is a prefix of the other.
    const at = first.findIndex((byte, offset) => byte !== second[offset])
    console.error(`reproduce: ${first.length} bytes here and ${second.length} elsewhere differ from byte ${at} on`)
    process.exitCode = 1
  } else {
    console.log('reproduce: compiled again in another directory and environment, the executable has the same bytes')
  }
} finally {
  rmSync(copy, { recursive: true })
}
