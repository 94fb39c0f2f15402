import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '../../..')

/** Path of the compiled service, rebuilt if a source is newer. */
export function compiledService(say: (line: string) => void): string {
  const binary = join(ROOT, 'dist/bellhop')
  if (existsSync(binary) && statSync(binary).mtimeMs > newestSource()) return binary
  say('compiling the service')
  const { exitCode } = Bun.spawnSync([process.execPath, 'scripts/build.ts'], {
    cwd: ROOT,
    stdout: 'ignore',
    stderr: 'inherit',
  })
  if (exitCode !== 0) throw new Error('the service could not be compiled')
  return binary
}

function newestSource(): number {
  const files = [...new Bun.Glob('{src,migrations}/**/*').scanSync(ROOT), 'bun.lock', 'scripts/build.ts']
  return Math.max(...files.map((file) => statSync(join(ROOT, file)).mtimeMs))
}
