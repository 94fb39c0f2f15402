import { expect } from 'bun:test'
import type { Service } from './service.ts'

/** All that the API shows of the application of a service. */
export async function stateOf(service: Service): Promise<unknown> {
  const answers = await Promise.all(['/deviceToken/all', '/feedback', '/analytics'].map((path) => service.get(path)))
  return answers.map(({ status, body }) => [status, body])
}

/** It serves on, the application is as it was, and what happened was no fault of our own. */
export async function expectUnharmed(service: Service, before: unknown): Promise<void> {
  expect(await stateOf(service)).toEqual(before)
  expect(service.log.filter(({ level }) => level === 'error')).toEqual([])
}
