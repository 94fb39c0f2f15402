import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '../support/temporary-directory.ts'

/** In the order of tracer.c. */
export const CALL_CLASSES = ['write', 'sync', 'name', 'read'] as const
export type CallClass = (typeof CALL_CLASSES)[number]

interface Harm {
  readonly what: string
  readonly classes: readonly CallClass[]
  /** As in tracer.c. */
  readonly fault: 0 | 1 | 2 | 3
  readonly error?: number
  readonly lasting?: true
}

const [EIO, ENOSPC, EDQUOT] = [5, 28, 122]

/** The most common first: a run may be interrupted. */
export const HARMS = {
  kill: { what: 'the process dies before it', classes: ['write', 'sync', 'name'], fault: 2 },
  EIO: { what: 'the call fails with EIO', classes: CALL_CLASSES, fault: 0, error: EIO },
  ENOSPC: { what: 'the call fails with ENOSPC', classes: ['write', 'name'], fault: 0, error: ENOSPC },
  EDQUOT: {
    what: 'the call fails with EDQUOT, and so does each one after it that writes',
    classes: ['write'],
    fault: 0,
    error: EDQUOT,
    lasting: true,
  },
  short: { what: 'half of it is written, or read, and the call says so', classes: ['write', 'read'], fault: 1 },
  torn: { what: 'the process dies when half of it is written', classes: ['write'], fault: 3 },
  dead: {
    what: 'the call fails with EIO, and so does each one after it, until the process has ended or all was tried',
    classes: ['write', 'sync', 'name'],
    fault: 0,
    error: EIO,
    lasting: true,
  },
} as const satisfies Record<string, Harm>
export type HarmName = keyof typeof HARMS

/** The file by which tracers get their orders and report. */
export interface FaultPlan extends Disposable {
  readonly path: string
  /**
   * Counts calls from now on. The `nth` one that the harm applies to fails, of class `only` if given. Default: none.
   */
  arm(harm: HarmName, nth?: number, only?: CallClass | null): void
  disarm(): void
  met(): Met
  /** Calls that changed something since `arm` with `nth` 0. */
  calls(): readonly TracedCall[]
}

export interface Met {
  /** Calls of the harm's classes. */
  readonly count: number
  readonly of: Readonly<Record<CallClass, number>>
  /** The nth call, such as `fdatasync of data/bellhop.db-wal`; `null`: not reached yet. */
  readonly struck: { readonly call: string; readonly class: CallClass } | null
}

/** A changing call, recorded before it was made. */
export interface TracedCall {
  /** Includes its threads and children. */
  readonly process: number
  readonly name: string
  readonly path: string
  /** The new name of the file; empty: none. */
  readonly target: string
}

/** The file of recorded calls. */
export function toldBeside(plan: string): string {
  return `${plan}.calls`
}

/** Calls that the harm applies to; `only`: of one class. */
export function countOf(of: Met['of'], harm: HarmName, only: CallClass | null): number {
  const classes: readonly CallClass[] = HARMS[harm].classes
  return classes.reduce((sum, each) => sum + (only === null || each === only ? of[each] : 0), 0)
}

/** `struct state` of tracer.c. */
const BYTES = 64 + 192
const CLASS_OF: Readonly<Record<string, CallClass>> = {
  fsync: 'sync',
  fdatasync: 'sync',
  read: 'read',
  pread: 'read',
  readv: 'read',
  write: 'write',
  pwrite: 'write',
  writev: 'write',
  pwritev: 'write',
  ftruncate: 'write',
  fallocate: 'write',
  sendfile: 'write',
  copy_file_range: 'write',
}

/** By a call's name. All others change a name. */
export function classOf(call: string): CallClass {
  return CLASS_OF[call] ?? 'name'
}

export function createFaultPlan(): FaultPlan {
  const directory = temporaryDirectory('bellhop-fault-plan')
  const path = join(directory.path, 'state')
  writeFileSync(path, Buffer.alloc(BYTES))
  writeFileSync(toldBeside(path), '')

  /** In place: a tracer has mapped the file. */
  function write(at: number, bytes: Uint8Array): void {
    const file = openSync(path, 'r+')
    writeSync(file, bytes, 0, bytes.length, at)
    closeSync(file)
  }

  return {
    path,
    arm(name, nth = 0, only = null) {
      const { classes, fault, error, lasting }: Harm = HARMS[name]
      const counts = (each: CallClass) => classes.includes(each) && (only === null || each === only)
      const mask = CALL_CLASSES.reduce((bits, each, at) => bits | (counts(each) ? 1 << at : 0), 0)
      const state = Buffer.alloc(BYTES)
      new Uint32Array(state.buffer, state.byteOffset, 16).set([1, mask, nth, fault, error ?? 0])
      state.writeUInt32LE(Number(lasting ?? false), 11 * 4)
      state.writeUInt32LE(Number(nth === 0), 12 * 4)
      write(0, state)
    },
    disarm: () => write(0, Buffer.alloc(4)),
    met() {
      const state = readFileSync(path)
      const [, , , , , count = 0, ...rest] = new Uint32Array(
        state.buffer.slice(state.byteOffset, state.byteOffset + 64),
      )
      const call = state.subarray(64).toString('latin1').replace(/\0.*$/s, '')
      const of = Object.fromEntries(CALL_CLASSES.map((each, at) => [each, rest[at] ?? 0])) as Record<CallClass, number>
      const struck = call === '' ? null : { call, class: classOf(call.split(' ')[0] ?? '') }
      return { count, of, struck }
    },
    calls() {
      const lines = readFileSync(toldBeside(path), 'utf8').split('\n').slice(0, -1)
      return lines.map((line) => {
        const [process = '', name = '', path = '', target = ''] = line.split('\t')
        return { process: Number(process), name, path, target }
      })
    },
    [Symbol.dispose]: () => directory[Symbol.dispose](),
  }
}
