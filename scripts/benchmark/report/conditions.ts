import { arch, cpus, release, totalmem, type } from 'node:os'
import { join } from 'node:path'
import { $ } from 'bun'
import { GATEWAY_KIND } from '../gateway/gateway.ts'

/** Name and value pairs. `now`: start of the bench. */
export async function conditionsOf(now: Date): Promise<readonly (readonly [name: string, value: string])[]> {
  const processors = cpus()
  return [
    ['date', now.toISOString().slice(0, 10)],
    ['CPU', `${processors[0]?.model ?? 'unknown'}: ${processors.length} cores for all processes of the bench together`],
    ['memory', `${Math.round(totalmem() / 2 ** 30)} GiB`],
    ['system', `${type()} ${release()}, ${arch()}`],
    ['Bun', `${Bun.version}, in the compiled service as well`],
    ['commit', await commit()],
    ['gateway', GATEWAY_KIND],
  ]
}

async function commit(): Promise<string> {
  const git = async (...words: string[]): Promise<string> =>
    (
      await $`git ${words}`
        .cwd(join(import.meta.dir, '../../..'))
        .nothrow()
        .quiet()
    )
      .text()
      .trim()
  const hash = await git('rev-parse', '--short', 'HEAD')
  if (hash === '') return 'unknown'
  return (await git('status', '--porcelain', 'src', 'migrations')) === '' ? hash : `${hash}, with changes`
}
