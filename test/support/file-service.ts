import { afterAll } from 'bun:test'
import { movingOn } from './passing.ts'
import { startSending } from './sending.ts'
import { startService } from './service.ts'
import type { Service, ServiceOptions } from './service.ts'

/** One service for all tests of a file, which ends with the file. */
export async function fileService(options: ServiceOptions = {}): Promise<Service> {
  const service = await startService(options)
  afterAll(() => service[Symbol.asyncDispose]())
  return service
}

/** The same, sending to its simulator by a clock that the tests move. */
export async function fileSending(options: Parameters<typeof startSending>[0] = {}) {
  const sending = await startSending(options)
  const { service, clock } = sending
  afterAll(async () => {
    // A stop waits for the answers to what the last test has sent.
    using _ = movingOn(clock)
    await service[Symbol.asyncDispose]()
  })
  return sending
}
