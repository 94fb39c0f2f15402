import { createECDH } from 'node:crypto'
import { ensureSpareFiles, threadProgram } from '../../system/thread.ts'

/*
 * Diffie-Hellman with a browser's key and a key pair per message (RFC 8291, 3.1). It takes 74 µs (2026-11-23, Bun
 * 1.4.5), most of the cost of a push to a browser, so a second processor helps.
 */

export interface Agreement {
  /** An uncompressed point, 65 bytes. */
  readonly publicKey: Uint8Array
  /** The x coordinate both sides get, 32 bytes. */
  readonly secret: Uint8Array
}

type OnAgreed = (agreement: Agreement | null) => void

export interface KeyAgreement extends Disposable {
  /** `receiver`: an uncompressed point. Calls `onAgreed` once, never before it returns. */
  agree(receiver: Uint8Array, onAgreed: OnAgreed): void
}

export const POINT_BYTES = 65
export const SECRET_BYTES = 32

/** Not worth a thread, which takes some 10 MB of memory. */
const FEW = 8

/** Agreements that wait for the thread: 20 ms of work. The main thread does the rest, so both stay busy. */
const MAX_ON_THREAD = 256

/** `null`: `receiver` is not on the curve. */
export function agreeHere(receiver: Uint8Array): Agreement | null {
  const pair = createECDH('prime256v1')
  const publicKey = pair.generateKeys()
  try {
    return { publicKey, secret: pair.computeSecret(receiver) }
  } catch {
    // The only possible fault.
    return null
  }
}

interface KeyAgreementOverrides {
  /** A thread needs a second one. */
  readonly processors?: number
  readonly program?: string
}

export function createKeyAgreement({
  processors = navigator.hardwareConcurrency,
  program = threadProgram('gateway/webpush/agreement-worker.ts'),
}: KeyAgreementOverrides = {}): KeyAgreement {
  return new SharedKeyAgreement(processors > 1, program)
}

interface Asked {
  readonly receiver: Uint8Array
  readonly onAgreed: OnAgreed
}

/** Starts a thread when many ask in one turn. */
class SharedKeyAgreement implements KeyAgreement {
  readonly #program: string
  #mayStart: boolean
  #thread: Worker | null = null
  #asked: Asked[] = []
  /** In the order of the thread's answers. */
  #onThread: (readonly Asked[])[] = []
  #onThreadCount = 0

  constructor(mayStart: boolean, program: string) {
    this.#program = program
    this.#mayStart = mayStart
  }

  agree(receiver: Uint8Array, onAgreed: OnAgreed): void {
    if (this.#asked.push({ receiver, onAgreed }) === 1) queueMicrotask(() => this.#share())
  }

  [Symbol.dispose](): void {
    this.#mayStart = false
    this.#leave()
  }

  #share(): void {
    const asked = this.#asked
    this.#asked = []
    if (this.#mayStart && asked.length > FEW) this.#thread ??= this.#started()
    const forThread = this.#thread === null ? [] : asked.slice(0, MAX_ON_THREAD - this.#onThreadCount)
    if (forThread.length > 0) this.#give(forThread)
    agreeOnAll(asked.slice(forThread.length))
  }

  #give(asked: readonly Asked[]): void {
    const receivers = new Uint8Array(asked.length * POINT_BYTES)
    asked.forEach(({ receiver }, n) => receivers.set(receiver.subarray(0, POINT_BYTES), n * POINT_BYTES))
    this.#onThread.push(asked)
    this.#onThreadCount += asked.length
    this.#thread?.postMessage(receivers, [receivers.buffer])
  }

  /** `null`: no file descriptor is free. */
  #started(): Worker | null {
    try {
      ensureSpareFiles()
    } catch {
      return null
    }
    const thread = new Worker(this.#program, { ref: false, smol: true })
    thread.addEventListener('message', ({ data }: MessageEvent<Uint8Array>) => this.#take(data))
    thread.addEventListener('error', () => this.#leave())
    thread.addEventListener('close', () => this.#leave())
    return thread
  }

  #take(agreed: Uint8Array): void {
    const asked = this.#onThread.shift() ?? []
    this.#onThreadCount -= asked.length
    asked.forEach(({ onAgreed }, n) => {
      const at = n * (POINT_BYTES + SECRET_BYTES)
      const publicKey = agreed.subarray(at, at + POINT_BYTES)
      const secret = agreed.subarray(at + POINT_BYTES, at + POINT_BYTES + SECRET_BYTES)
      onAgreed(publicKey[0] === 0 ? null : { publicKey, secret })
    })
  }

  /** Without the thread, its work is done here. */
  #leave(): void {
    this.#mayStart = false
    this.#thread?.terminate()
    this.#thread = null
    const left = this.#onThread.flat()
    this.#onThread = []
    this.#onThreadCount = 0
    agreeOnAll(left)
  }
}

function agreeOnAll(asked: readonly Asked[]): void {
  for (const { receiver, onAgreed } of asked) onAgreed(agreeHere(receiver))
}
