import { closeSync, fstatSync, ftruncateSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { endOf } from '../../support/service-process.ts'
import { temporaryDirectory } from '../../support/temporary-directory.ts'

/** A tmpfs, which only root can mount. */
export type Disk = AsyncDisposable &
  ({ readonly kind: 'mounted'; readonly directory: string } | { readonly kind: 'hindrance'; readonly why: string })

export async function mountDisk(bytes: number): Promise<Disk> {
  await using opened = new AsyncDisposableStack()
  const directory = opened.use(temporaryDirectory('bellhop-disk')).path
  const size = `size=${bytes},mode=700`
  const mounted = await run('mount', '-t', 'tmpfs', '-o', size, 'bellhop-faults', directory)
  if (mounted !== null) {
    const why = `a disk that can be filled could not be mounted: ${mounted}`
    return { kind: 'hindrance', why, [Symbol.asyncDispose]: async () => {} }
  }
  // Lazily: a test in this process may have a file open.
  opened.defer(async () => void (await run('umount', '-l', directory)))
  const disk = opened.move()
  return { kind: 'mounted', directory, [Symbol.asyncDispose]: () => disk.disposeAsync() }
}

/** Writes until `leaveBytes` are free. The returned function frees the space. */
export function fillDisk(directory: string, leaveBytes = 0): () => void {
  const path = join(directory, 'filler')
  const file = openSync(path, 'w')
  const filling = Buffer.alloc(1024 * 1024)
  for (let bytes = filling.length; bytes >= 1;) {
    try {
      writeSync(file, filling, 0, bytes)
    } catch {
      bytes = Math.floor(bytes / 2)
    }
  }
  ftruncateSync(file, fstatSync(file).size - leaveBytes)
  closeSync(file)
  return () => rmSync(path)
}

/** The complaint; `null`: success. */
async function run(...command: readonly string[]): Promise<string | null> {
  try {
    const { exitCode, stderr } = await endOf(command)
    return exitCode === 0 ? null : stderr.trim()
  } catch (error) {
    // No such command.
    return String(error)
  }
}
