import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { directoryOfTests } from '../support/directory-of-tests.ts'
import { serve } from '../support/service-process.ts'
import type { ServiceProcess } from '../support/service-process.ts'

/* Two servers on one data directory, reached in different ways. */

const TOOLS = ['unshare', 'mount', 'umount', 'losetup', 'mkfs.ext4', 'truncate', 'sync']
/** Sandboxes refuse mounts. */
const canMount =
  process.platform === 'linux' &&
  process.getuid?.() === 0 &&
  TOOLS.every((tool) => Bun.which(tool) !== null) &&
  Bun.spawnSync(['unshare', '--mount', '--pid', '--fork', 'true']).success &&
  Bun.spawnSync(['losetup', '--find']).success

let first: ServiceProcess
beforeAll(async () => {
  mkdirSync(data, { mode: 0o700 })
  first = await serve(data)
})
afterAll(() => first[Symbol.asyncDispose]())
const directory = directoryOfTests('bellhop-two')
const data = join(directory, 'data')

/** Undone in reverse. */
const undo: (() => void)[] = []
afterEach(() => {
  for (const step of undo.splice(0).toReversed()) step()
})

/** Throws the command's complaint. */
function run(...command: readonly string[]): string {
  const { success, stdout, stderr } = Bun.spawnSync([...command])
  if (!success) throw new Error(`${command.join(' ')}: ${stderr.toString()}`)
  return stdout.toString().trim()
}

function mounted(device: string, name: string): string {
  const at = join(directory, name)
  mkdirSync(at)
  run('mount', device, at)
  undo.push(() => run('umount', '-l', at))
  return at
}

function loopOf(image: string): string {
  const device = run('losetup', '--find', '--show', image)
  undo.push(() => run('losetup', '--detach', device))
  return device
}

function volume(): string {
  const image = join(directory, `${crypto.randomUUID()}.img`)
  run('truncate', '--size=160M', image)
  run('mkfs.ext4', '-q', image)
  return image
}

const endOf = (started: Promise<ServiceProcess>) =>
  started.then(
    () => 'started',
    (error: Error) => error.message,
  )
const refused = (at: string) => `not ready: bellhop: Another Bellhop serves the data directory ${at}.\n`

test('a second one is refused', async () => {
  expect(await endOf(serve(data))).toBe(refused(data))
  expect((await fetch(`${first.url}/healthz`)).status).toBe(200)
})

describe.if(canMount)('a second one is refused', () => {
  test('in namespaces of its own, as in another container, with the directory mounted elsewhere', async () => {
    const elsewhere = join(directory, 'elsewhere')
    mkdirSync(elsewhere)
    const namespaces = ['unshare', '--mount', '--pid', '--ipc', '--uts', '--fork', '--mount-proc']
    const bound = ['sh', '-c', `mount --bind ${data} ${elsewhere} && exec "$@"`, 'sh']
    expect(await endOf(serve(elsewhere, {}, [], [...namespaces, ...bound]))).toBe(refused(elsewhere))
  })

  test('through a second mount of the same block device', async () => {
    const device = loopOf(volume())
    const here = join(mounted(device, 'one'), 'data')
    const there = join(mounted(device, 'two'), 'data')
    await using _ = await serve(here)
    expect(await endOf(serve(there))).toBe(refused(there))
  })
})

// Two devices with the same content are two file systems with separate locks, as on two machines.
test.if(canMount)('a second one is not refused on another machine: only fencing keeps it from the volume', async () => {
  const image = volume()
  const here = join(mounted(loopOf(image), 'own'), 'data')
  await using _ = await serve(here)
  run('sync', '--file-system', here)
  const there = join(mounted(loopOf(image), 'other'), 'data')
  await using second = await serve(there)
  expect((await fetch(`${second.url}/healthz`)).status).toBe(200)
})
