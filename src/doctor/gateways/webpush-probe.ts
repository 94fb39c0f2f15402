import type { VapidCredential } from '../../application/vapid.ts'
import { within } from '../../clock.ts'
import { answerTo } from '../../gateway/transport/transport.ts'
import type { Protocol, TransportAnswer } from '../../gateway/transport/transport.ts'
import { createVapidTokens } from '../../gateway/webpush/token.ts'
import { listed } from '../../text/format.ts'
import { failing, ok, warning } from '../finding.ts'
import type { Finding } from '../finding.ts'
import { ANSWER_MS } from './apns-probe.ts'
import type { ProbeOptions } from './apns-probe.ts'

export const KNOWN_PUSH_SERVICES: readonly string[] = [
  'https://fcm.googleapis.com',
  'https://updates.push.services.mozilla.com',
  'https://web.push.apple.com',
  'https://wns2-par02p.notify.windows.com',
]

interface WebPushProbeOptions extends Omit<ProbeOptions, 'wayTo'> {
  readonly credential: VapidCredential
  /** `https://host[:port]`, possibly with a path prefix of its endpoints. */
  readonly services: readonly string[]
}

const PATHS: Readonly<Record<string, string>> = {
  'https://fcm.googleapis.com': '/fcm/send/bellhop-doctor',
  'https://updates.push.services.mozilla.com': '/wpush/v2/bellhop-doctor',
  'https://wns2-par02p.notify.windows.com': '/w/?token=bellhop-doctor',
}

/** Sends a push to an impossible endpoint of each push service. */
export async function probeWebPush(options: WebPushProbeOptions): Promise<Finding> {
  const { application, credential, services, clock } = options
  const tokens = createVapidTokens(credential, clock)
  const answers = await Promise.all(
    services.map(async (service) => {
      const { origin, host } = new URL(service)
      const asked = within(clock, ANSWER_MS, ask(service, await tokens.authorization(origin), options), LATE)
      return { host, ...(await asked) }
    }),
  )
  const hosts = (belongs: (answer: TransportAnswer) => boolean): readonly string[] =>
    answers.filter(({ answer }) => belongs(answer)).map(({ host }) => host)
  const lost = hosts(({ kind }) => kind === 'failed')
  const refusing = hosts((answer) => answer.kind === 'answer' && (answer.status === 401 || answer.status === 403))
  const others = hosts(isTaking)
  const [first = [], second = []] = (['HTTP/2', 'HTTP/1.1'] as const).map((protocol) =>
    answers.filter((each) => isTaking(each.answer) && each.protocol === protocol).map(({ host }) => host),
  )
  const ways = [
    ...(first.length > 0 ? [`${listed(first, 4)} can be sent to over HTTP/2`] : []),
    ...(second.length > 0 ? [`${listed(second, 4)} can be sent to over HTTP/1.1`] : []),
  ].join(', ')
  const reasons = [...new Set(answers.flatMap(({ answer }) => (answer.kind === 'failed' ? [answer.reason] : [])))]

  if (lost.length === services.length) {
    return failing(
      `No push service is reachable (${listed(reasons, 3)}): nothing reaches browsers.`,
      `Allow outgoing connections to port 443 of ${listed(lost, 4)}.`,
    )
  }
  // Some services answer an impossible endpoint like this, too.
  if (others.length === 0) {
    return warning(
      `Every push service that was reached refuses a push to an endpoint that cannot be as not allowed: ${listed(refusing, 4)}.`,
      `Set the clock of this machine; if it is right, browsers that were subscribed with another key must subscribe again: bellhop app show ${application} tells the key.`,
    )
  }
  if (lost.length > 0) {
    return warning(
      `${ways}; ${listed(lost, 4)} cannot be reached (${listed(reasons, 3)}): pushes to browsers there wait.`,
      `Allow outgoing connections to port 443 of ${listed(lost, 4)}.`,
    )
  }
  return ok(`${ways}, with the VAPID key of ${credential.subject}.`)
}

const LATE = { answer: { kind: 'failed', reason: 'deadline', sent: 'unknown' }, protocol: null } as const

/** Any other answer to an impossible endpoint is good. */
function isTaking(answer: TransportAnswer): boolean {
  return answer.kind === 'answer' && answer.status !== 401 && answer.status !== 403
}

async function ask(
  service: string,
  authorization: string,
  { openTransport, ca }: WebPushProbeOptions,
): Promise<{ readonly answer: TransportAnswer; readonly protocol: Protocol | null }> {
  const options = { deadlineMs: ANSWER_MS, olderWillDo: true, ...(ca !== undefined && { ca }) }
  const { origin, pathname } = new URL(service)
  await using transport = openTransport(origin, options)
  // An empty body needs no encryption.
  const answer = await answerTo(transport, {
    path: PATHS[origin] ?? `${pathname.replace(/\/$/, '')}/bellhop-doctor`,
    headers: { authorization, ttl: '0', 'accept-encoding': 'identity' },
    body: '',
  })
  return { answer, protocol: transport.protocol ?? null }
}
