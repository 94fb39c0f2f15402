import { afterAll } from 'bun:test'
import { startService } from './service.ts'
import type { Service, ServiceOptions } from './service.ts'

/** One service for all tests of a file, which ends with the file. */
export async function fileService(options: ServiceOptions = {}): Promise<Service> {
  const service = await startService(options)
  afterAll(() => service[Symbol.asyncDispose]())
  return service
}
