import { inParallel } from '../../support/in-parallel.ts'
import type { Gateway } from '../gateways/gateway.ts'
import { runCommand } from '../../support/service-process.ts'
import type { Stage } from './stage.ts'

/** Keys of RFC 8291, appendix A, which the fakes can open. */
const KEYS = {
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
}

const AT_A_TIME = 20

/** Gives the application its VAPID key, and registers `each` browsers at each push service. */
export async function addBrowsers(stage: Stage, each: number): Promise<void> {
  await useVapidKey(stage)
  const endpoints = stage.pushServices.flatMap(({ origin }) =>
    Array.from({ length: each }, (_, n) => `${origin}/push/${n}`),
  )
  await inParallel(endpoints, AT_A_TIME, (token) => register(stage, token))
}

/** The key of its browsers' subscriptions. */
export function useVapidKey(stage: Stage): Promise<unknown> {
  const { privateKey, subject } = stage.known.issue(stage.application.id).vapid
  return app(stage, ['--subject', subject, '--key', '-'], privateKey)
}

/** A key that no push service knows. */
export function useOtherVapidKey(stage: Stage): Promise<unknown> {
  return app(stage, ['--new'])
}

export function browsersAt({ ledger }: Stage, { origin }: Gateway): readonly string[] {
  return [...ledger.devices.values()].map(({ token }) => token).filter((token) => token.startsWith(`${origin}/`))
}

function app({ program, application, data }: Stage, flags: readonly string[], input?: string): Promise<unknown> {
  return runCommand(program, ['app', 'webpush', application.id, ...flags, `--data=${data}`], input)
}

async function register(stage: Stage, token: string): Promise<void> {
  const { api, ledger } = stage
  const askedAt = Date.now()
  const answer = await api.call('PUT', '/deviceToken', { token, platform: 2, keys: KEYS })
  if (answer?.status !== 201) stage.accuse(`a browser was not taken: ${answer?.status ?? 'no answer'}`)
  const [tags, doubtfulTags] = [new Set<string>(), new Set<string>()]
  ledger.addDevice({ platform: 2, token, askedAt, ackedAt: Date.now(), tags, doubtfulTags, aliases: [null] })
}
