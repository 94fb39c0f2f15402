import type { BenchGateway } from '../gateway/gateway.ts'
import { lineReader } from '../measure/line-reader.ts'
import { cpuMs, rssMb } from '../measure/process-figures.ts'
import { epochMs } from '../measure/push-run.ts'
import { pushRate } from '../measure/send-figures.ts'
import type { SendFigures } from '../measure/send-figures.ts'
import type { SenderProgram } from './packages.ts'

/** Above Bun's limit of 256 requests at a time. */
const MAX_HTTP_REQUESTS = '4096'

/** Runs a sender process once. Its warm-up is not counted. */
export async function runSenderProgram(
  { command }: SenderProgram,
  gateway: BenchGateway,
  { warmUp, count }: { readonly warmUp: number; readonly count: number },
): Promise<SendFigures> {
  const { PATH, HOME, TMPDIR } = process.env
  await using child = Bun.spawn([...command, gateway.origin, gateway.ca, String(warmUp), String(count)], {
    env: { PATH, HOME, TMPDIR, NODE_ENV: 'production', BUN_CONFIG_MAX_HTTP_REQUESTS: MAX_HTTP_REQUESTS },
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const nextLine = lineReader(child.stdout)
  await nextLine()
  await gateway.reset()
  const cpu = cpuMs(child.pid)
  const startMs = epochMs()
  void child.stdin.write('go\n')
  await child.stdin.flush()
  await nextLine()
  const cpuUs = ((cpuMs(child.pid) - cpu) * 1000) / count
  const peakMb = rssMb(child.pid).peak
  return { perSecond: await pushRate(gateway, count, startMs), cpuUs, peakMb }
}
