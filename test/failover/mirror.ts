import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { lineReader } from '../../scripts/benchmark/measure/line-reader.ts'
import { endOf } from '../support/service-process.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

/** Fits a server's reserve (a twentieth) and two databases. */
const VOLUME_BYTES = 192 * 1024 * 1024

const TOOLS = ['qemu-storage-daemon', 'losetup', 'mkfs.ext4', 'mount', 'umount'] as const

export const STAND_IN = `This kernel has no DRBD. Its stand-in: QEMU's quorum of two copies, one of them over TCP on the loopback address in
a process of its own. A write or flush is answered when both have answered it, as in DRBD's protocol C. On it a loop
device with ext4. The kill takes the server and its copy of the volume; then the other copy is mounted.`

/** `null`: the volume is available. */
export function mirrorHindrance(): string | null {
  const missing = TOOLS.filter((tool) => Bun.which(tool) === null)
  if (missing.length > 0) return `${missing.join(', ')} is not installed (Debian: qemu-utils, qemu-system-common)`
  return process.getuid?.() === 0 ? null : 'only root can mount a volume'
}

export type Kept = 'all' | 'prefix' | 'some'

export interface Cut {
  /** Writes on the second machine after the last flush. */
  readonly unflushed: number
  /** Those in its copy. */
  readonly left: number
}

/** A volume with a copy on two machines, mounted on the first. */
export interface Mirror extends AsyncDisposable {
  readonly directory: string
  /**
   * Kills the first machine after `writes` writes. `seed` decides which writes since the last flush its copy has.
   * Resolves when it is dead.
   */
  cutAfter(writes: number, kept: Kept, seed: number): Promise<Cut>
  /** Resolves when both copies are complete. */
  sync(): Promise<void>
  /** Detaches the first machine, which reads and writes no more. */
  fence(): Promise<void>
  /** Mounts the second copy. The dead machine becomes the second, with a fresh copy. */
  failOver(): Promise<{ readonly mountMs: number }>
}

export async function openMirror(): Promise<Mirror> {
  await using opened = new AsyncDisposableStack()
  const own = opened.use(temporaryDirectory('bellhop-failover')).path
  const directory = join(own, 'volume')
  await mkdir(directory)
  let [copy, otherCopy] = [join(own, 'copy-1'), join(own, 'copy-2')]
  await run('truncate', `--size=${VOLUME_BYTES}`, copy)
  await run('mkfs.ext4', '-q', '-F', copy)
  await copyFile(copy, otherCopy)
  let first = await startFirst(own, copy, otherCopy)
  await run('mount', first.device, directory)

  async function fence(): Promise<void> {
    await first.kill()
    // Lazily: the harness may have a file open.
    await run('umount', '-l', directory)
    await run('losetup', '-d', first.device)
    await run('umount', '-l', first.file)
    await first.second.end()
  }
  opened.defer(fence)
  const mounted = opened.move()
  return {
    directory,
    cutAfter: (writes, kept, seed) => first.second.cutAfter(writes, kept, seed),
    async sync() {
      await run('sync', '--file-system', directory)
    },
    fence,
    async failOver() {
      ;[copy, otherCopy] = [otherCopy, copy]
      // As DRBD does when the machine returns.
      await copyFile(copy, otherCopy)
      first = await startFirst(own, copy, otherCopy)
      const startedAt = performance.now()
      await run('mount', first.device, directory)
      return { mountMs: performance.now() - startedAt }
    },
    [Symbol.asyncDispose]: () => mounted.disposeAsync(),
  }
}

/** One block device of two copies. */
async function startFirst(own: string, copy: string, otherCopy: string) {
  const second = await startSecond(otherCopy)
  const file = join(own, `device-${crypto.randomUUID()}`)
  await Bun.write(file, '')
  const blocks = [
    { driver: 'file', 'node-name': 'own', filename: copy },
    { driver: 'nbd', 'node-name': 'other', server: { type: 'inet', host: '127.0.0.1', port: second.port } },
    // Reads the first; a write must succeed on both.
    { driver: 'quorum', 'node-name': 'both', children: ['own', 'other'], 'vote-threshold': 2, 'read-pattern': 'fifo' },
  ]
  const exported = { type: 'fuse', id: 'volume', 'node-name': 'both', mountpoint: file, writable: true }
  const daemon = Bun.spawn(
    [
      'qemu-storage-daemon',
      ...blocks.flatMap((block) => ['--blockdev', JSON.stringify(block)]),
      '--export',
      JSON.stringify(exported),
    ],
    { stdout: 'ignore', stderr: 'pipe' },
  )
  while (daemon.exitCode === null && Bun.file(file).size !== VOLUME_BYTES) await Bun.sleep(5)
  if (daemon.exitCode !== null) throw new Error(await new Response(daemon.stderr).text())
  const device = await run('losetup', '--find', '--show', file)
  return {
    file,
    device,
    second,
    async kill() {
      daemon.kill('SIGKILL')
      await daemon.exited
    },
  }
}

async function startSecond(image: string) {
  const command = [process.execPath, join(import.meta.dir, 'second-machine.ts'), image]
  const child = Bun.spawn(command, { stdin: 'pipe', stdout: 'pipe', stderr: 'inherit' })
  const line = lineReader(child.stdout)
  return {
    port: await line(),
    async cutAfter(writes: number, kept: Kept, seed: number): Promise<Cut> {
      void child.stdin.write(`cut after ${writes} keep ${kept} seed ${seed}\n`)
      void child.stdin.flush()
      const [, unflushed, left] = /^cut (\d+) (\d+)/.exec(await line()) ?? []
      return { unflushed: Number(unflushed), left: Number(left) }
    },
    async end() {
      void child.stdin.end()
      await child.exited
    },
  }
}

async function run(...command: readonly string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await endOf(command)
  if (exitCode !== 0) throw new Error(`${command.join(' ')}: ${stderr}`)
  return stdout.trim()
}
