import { cpSync, lstatSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A new directory, removed with all that is in it at the end of the scope. `name`: what its name starts with. */
export function temporaryDirectory(name: string): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), `${name}-`))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

/** The data directory of a running service as a kill would leave it now: a copy without its socket and lock. */
export function asKilled(data: string): ReturnType<typeof temporaryDirectory> {
  const copy = temporaryDirectory('bellhop-killed')
  cpSync(data, copy.path, {
    recursive: true,
    filter: (path) => !lstatSync(path).isSocket() && !path.endsWith('.lock'),
  })
  return copy
}
