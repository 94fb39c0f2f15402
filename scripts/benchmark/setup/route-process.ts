import { join } from 'node:path'
import { lineReader } from '../measure/line-reader.ts'
import { endsWithUs } from './ends-with-us.ts'

export interface ServerProcess {
  /** `http://127.0.0.1:8790` */
  readonly url: string
  readonly pid: number
}

/** Starts a contender's plain route, which prints its address, in its own process. */
export async function startRoute(file: string, ...args: string[]): Promise<ServerProcess & AsyncDisposable> {
  const child = endsWithUs(
    Bun.spawn([process.execPath, join(import.meta.dir, '../contenders', file), ...args], {
      env: { ...process.env, NODE_ENV: 'production' },
      stdout: 'pipe',
      stderr: 'inherit',
    }),
  )
  return {
    url: await lineReader(child.stdout)(),
    pid: child.pid,
    async [Symbol.asyncDispose]() {
      child.kill()
      await child.exited
    },
  }
}
