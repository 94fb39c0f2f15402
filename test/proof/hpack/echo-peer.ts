import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lineReader } from '../../../scripts/benchmark/measure/line-reader.ts'
import { endsWithUs } from '../../../scripts/benchmark/setup/ends-with-us.ts'

export interface EchoPeer extends AsyncDisposable {
  readonly port: number
  /** Ends it; resolves with what it complained of. */
  complaints(): Promise<string>
}

/** Starts `echo-server.ts` on Node. */
export async function startEchoPeer(): Promise<EchoPeer> {
  const folder = mkdtempSync(join(tmpdir(), 'bellhop-hpack-'))
  const naming = 'server.mjs'
  const entrypoints = [join(import.meta.dir, 'echo-server.ts')]
  const built = await Bun.build({ entrypoints, target: 'node', outdir: folder, naming })
  if (!built.success) throw new Error(built.logs.map(({ message }) => message).join('\n'))
  const streams = { stdin: 'pipe', stdout: 'pipe', stderr: 'pipe' } as const
  const child = endsWithUs(Bun.spawn(['node', join(folder, naming)], streams))
  const complaints = new Response(child.stderr).text()
  const port = Number(await lineReader(child.stdout)())
  const end = async () => {
    await child.stdin.end()
    await child.exited
    rmSync(folder, { recursive: true, force: true })
  }
  return {
    port,
    async complaints() {
      await end()
      return complaints
    },
    [Symbol.asyncDispose]: end,
  }
}
