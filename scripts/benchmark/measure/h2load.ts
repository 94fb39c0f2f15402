import { join } from 'node:path'
import { BODY } from '../contenders/senders/request.ts'
import type { BenchGateway } from '../gateway/gateway.ts'
import { pushRate } from './send-figures.ts'
import type { SendFigures } from './send-figures.ts'

/** The limit of wire and gateway: h2load repeats one request on one connection. */
export async function runH2load(folder: string, gateway: BenchGateway, count: number): Promise<SendFigures> {
  const body = join(folder, 'body.json')
  await Bun.write(body, BODY)
  await gateway.reset()
  const load = ['-n', String(count), '-c', '1', '-m', '1000', '-t', '1', '-d', body]
  const child = Bun.spawn(['h2load', ...load, `${gateway.origin}/3/device/${'a'.repeat(64)}`], {
    stdout: 'ignore',
    stderr: 'inherit',
  })
  await child.exited
  const cpuUs = Number(child.resourceUsage()?.cpuTime.total ?? Number.NaN) / count
  return { perSecond: await pushRate(gateway, count, null), cpuUs }
}
