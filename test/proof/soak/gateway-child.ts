import { join } from 'node:path'
import { lineReader } from '../../../scripts/benchmark/measure/line-reader.ts'
import { endsWithUs } from '../../../scripts/benchmark/setup/ends-with-us.ts'
import { temporaryDirectory } from '../../support/temporary-directory.ts'
import { GatewayBook } from '../books.ts'
import type { GatewayCounts } from './cutting-gateway.ts'
import type { Harm } from './harms.ts'

export interface GatewayChild extends AsyncDisposable {
  readonly origin: string
  /** PEM; clients must trust it. */
  readonly ca: string
  counts(): Promise<GatewayCounts>
  book(): Promise<GatewayBook>
}

export interface GatewayOrder {
  readonly requests: number
  readonly seed: number
  /** Average requests per harm. */
  readonly harmEvery: number
  readonly harms: readonly Harm[]
}

export async function startGatewayChild(order: GatewayOrder): Promise<GatewayChild> {
  const { requests, seed, harmEvery, harms } = order
  await using opened = new AsyncDisposableStack()
  const folder = opened.use(temporaryDirectory('bellhop-proof')).path
  const program = join(import.meta.dir, 'gateway-process.ts')
  const child = endsWithUs(
    Bun.spawn([process.execPath, program, ...[requests, seed, harmEvery, harms].map(String), folder], {
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'inherit',
    }),
  )
  opened.defer(async () => {
    await child.stdin.end()
    await child.exited
  })
  const nextLine = lineReader(child.stdout)
  const { origin, ca }: { origin: string; ca: string } = JSON.parse(await nextLine())

  async function ask(what: 'counts' | 'book'): Promise<GatewayCounts & { readonly strangers: number }> {
    void child.stdin.write(`${what}\n`)
    await child.stdin.flush()
    return JSON.parse(await nextLine())
  }

  const running = opened.move()
  return {
    origin,
    ca,
    counts: () => ask('counts'),
    async book() {
      const { strangers } = await ask('book')
      const book = new GatewayBook(requests)
      book.strangers = strangers
      book.processed.set(new Uint16Array(await Bun.file(join(folder, 'processed')).arrayBuffer()))
      book.again.set(new Uint16Array(await Bun.file(join(folder, 'again')).arrayBuffer()))
      return book
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}
