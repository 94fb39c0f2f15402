// Takes one event per line (`null` for none). Answers with the state and the refusals: see drive.ts.
import { join } from 'node:path'
import { createInterface } from 'node:readline'

interface Refusal {
  readonly kind: string
  readonly status: number
}

interface Options {
  readonly app: string
  readonly home: string
  readonly platform: string
  readonly receipts: boolean
  readonly tell: (refusal: Refusal) => void
}

/** Missing in Hermes, React Native's engine (0.14, in 2026): compat-table#2019. */
for (const [owner, name] of [
  [Array, 'fromAsync'],
  [Array.prototype, 'toSorted'],
  [AbortSignal, 'timeout'],
  [Object, 'groupBy'],
  [Promise, 'withResolvers'],
  [URL, 'parse'],
] as const)
  Reflect.deleteProperty(owner, name)

const [folder = '', home = '', app = ''] = process.argv.slice(2)
const { createKeeper } = (await import(join(folder, 'keeper.js'))) as {
  readonly createKeeper: (options: Options) => { take(choose: () => object[]): Promise<object> }
}
let told: Refusal[] = []
let laterMs = 0
const { now } = Date
Date.now = () => now() + laterMs
const tell = ({ kind, status }: Refusal) => void told.push({ kind, status })
const keeper = createKeeper({ app, home, platform: '1', receipts: false, tell })
for await (const line of createInterface({ input: process.stdin })) {
  told = []
  const event = JSON.parse(line) as { readonly kind: 'later'; readonly ms: number } | { readonly kind: '' } | null
  if (event !== null && event.kind === 'later') laterMs += event.ms
  const state = await keeper.take(() => (event === null || event.kind === 'later' ? [] : [event]))
  process.stdout.write(`${JSON.stringify({ state, told })}\n`)
}
