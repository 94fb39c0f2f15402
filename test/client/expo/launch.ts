import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expoLibrary } from '../../../src/client/expo-library.ts'
import type { ClientTarget } from '../../../src/client/library.ts'
import { temporaryDirectory } from '../../support/temporary-directory.ts'

const STUBS = join(import.meta.dir, 'stubs')

/** The phone as a test sets and reads it: stubs/phone.js. */
export interface Phone {
  os: 'android' | 'ios'
  token: string
  readonly folder: string
  groups: string[]
  granted: boolean
  first: object | null
  asked: number
  channels: object[]
  handler: { handleNotification(notification: object): Promise<object> } | null
  listeners: Record<string, unknown>
  shown: readonly { readonly request: { readonly identifier: string } }[]
  tell(event: 'token' | 'received' | 'response' | 'change', said: unknown): void
}

/** The part of index.d.ts that the tests call. */
export interface Bellhop {
  register(options?: object): Promise<object>
  unregister(): Promise<void>
  login(user: string): Promise<void>
  setTags(tags: unknown): Promise<void>
  onOpen(listener: (tap: object) => void): () => void
  onMessage(listener: (message: object) => void): () => void
}

interface Library {
  readonly connect: (options?: object) => Bellhop
  readonly useBellhop: (options?: object) => Bellhop
  readonly onBackgroundPush: (task: object) => Promise<void>
}

const roots: Disposable[] = []

/** Call at the end of a test file. */
export function removePackages(): void {
  for (const root of roots.splice(0)) root[Symbol.dispose]()
}

/** Writes the package and stubs of its imports into a folder. Returns the package's folder. */
export function writePackage(place: ClientTarget): string {
  const root = temporaryDirectory('bellhop-expo')
  roots.push(root)
  const folder = join(root.path, 'bellhop')
  for (const [name, text] of Object.entries(expoLibrary.files(place))) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  for (const file of readdirSync(STUBS)) {
    const name = file.replace('.js', '')
    mkdirSync(join(root.path, 'node_modules', name), { recursive: true })
    const to = join(root.path, 'node_modules', name, 'index.js')
    cpSync(join(STUBS, file), to)
  }
  return folder
}

/** Starts the app on a phone. Starting again loads the library again with the same folder. */
export async function launch(place: ClientTarget, phone: Partial<Phone> = {}): Promise<Library & { phone: Phone }> {
  const folder = writePackage(place)
  Object.assign(globalThis, { bellhopPhone: phone })
  const library = (await import(join(folder, 'index.js'))) as Library
  const { phone: found } = (await import(join(folder, '../node_modules/phone/index.js'))) as { phone: Phone }
  return { ...library, phone: found }
}
