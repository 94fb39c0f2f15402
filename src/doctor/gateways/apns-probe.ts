import { describeApns } from '../../application/credential.ts'
import type { ApnsCredential } from '../../application/credential.ts'
import { within } from '../../clock.ts'
import type { Clock } from '../../clock.ts'
import type { Environment } from '../../device/device.ts'
import { apnsIdOf, apnsPath, readApnsRefusal, refusesCredential } from '../../gateway/apns/protocol.ts'
import { createProviderTokens } from '../../gateway/apns/token.ts'
import type { Keep, Signing } from '../../gateway/apns/token.ts'
import { answerTo } from '../../gateway/transport/transport.ts'
import type { OpenTransport, TransportAnswer } from '../../gateway/transport/transport.ts'
import { apnsHeaders, renderApns } from '../../notification/apns-render.ts'
import { failing } from '../finding.ts'
import type { Finding } from '../finding.ts'
import { apnsFinding, isForOtherEnvironment, limitedTo } from './apns-finding.ts'
import type { ApnsSubject } from './apns-finding.ts'
import { connectionFinding } from './connection-failure.ts'
import type { Way } from './connection-failure.ts'

/** For all gateways. */
export interface ProbeOptions {
  readonly application: string
  readonly wayTo: (origin: string) => Way
  readonly ca: string | undefined
  readonly openTransport: OpenTransport
  readonly clock: Clock
}

interface ApnsProbeOptions extends ProbeOptions {
  readonly credential: ApnsCredential
  readonly signing: ApnsSigning
  readonly environments: readonly Environment[]
  readonly origins: Readonly<Record<Environment, string>>
}

/** Shared by all who sign with the same key: Apple limits new provider tokens. */
export interface ApnsSigning {
  readonly keepToken: Keep
  readonly signing: Signing
}

/** Ten seconds for a gateway, together with REACH_MS. */
export const ANSWER_MS = 6000

/** Sends an empty push to an impossible device in each environment. */
export async function probeApns(options: ApnsProbeOptions): Promise<ReadonlyMap<Environment, Finding>> {
  const { application, credential, environments, clock, signing } = options
  const authorization = await authorizationFor(credential, clock, signing)
  if (authorization === null) {
    const finding = failing(
      'The stored signing key cannot be used.',
      `Store the .p8 file from Apple again: bellhop app apns ${application}.`,
    )
    return new Map(environments.map((environment) => [environment, finding]))
  }
  const asked = await Promise.all(
    environments.map(async (environment) => {
      const answer = await within(clock, ANSWER_MS, ask(environment, authorization, options), 'late')
      const { finding, reason } = judge(answer, environment, options)
      return { environment, finding, reason }
    }),
  )
  return new Map(
    asked.map(({ environment, finding, reason }) => {
      const other = asked.find((each) => each.environment !== environment)
      const limited = isForOtherEnvironment(reason) && other?.finding.state === 'ok'
      return [environment, limited ? limitedTo(other.environment, subjectOf(environment, options)) : finding]
    }),
  )
}

const IMPOSSIBLE_TOKEN = '0'.repeat(64)

const NOTHING = { msg: null, sound: null, badge: null, payload: null, ttl: 0 }

/** `undefined`: a certificate needs no token. `null`: the key is unusable. */
async function authorizationFor(
  credential: ApnsCredential,
  clock: Clock,
  { keepToken, signing }: ApnsSigning,
): Promise<string | undefined | null> {
  if (credential.kind === 'certificate') return undefined
  try {
    return await createProviderTokens(credential, clock, keepToken, signing).current()
  } catch {
    return null
  }
}

async function ask(
  environment: Environment,
  authorization: string | undefined,
  { credential, origins, ca, openTransport, clock }: ApnsProbeOptions,
): Promise<TransportAnswer> {
  await using transport = openTransport(origins[environment], {
    deadlineMs: ANSWER_MS,
    ...(ca === undefined ? undefined : { ca }),
    ...(credential.kind === 'certificate' && { cert: credential.certificate, key: credential.privateKey }),
    isFinal: refusesCredential,
  })
  const push = Bun.randomUUIDv7()
  const rendered = renderApns({ push, notification: NOTHING, expiresAt: clock.now() })
  return await answerTo(transport, {
    path: apnsPath(IMPOSSIBLE_TOKEN) ?? '',
    headers: apnsHeaders(rendered, credential.topic, authorization),
    own: ['apns-id', apnsIdOf(push, 0)],
    body: rendered.body(null),
  })
}

function judge(
  answer: TransportAnswer | 'late',
  environment: Environment,
  options: ApnsProbeOptions,
): { readonly finding: Finding; readonly reason: string | null } {
  const way = options.wayTo(options.origins[environment])
  if (answer === 'late') return { finding: connectionFinding('deadline', way), reason: null }
  if (answer.kind === 'failed') {
    const { word } = answer
    if (word === undefined) return { finding: connectionFinding(answer.reason, way), reason: null }
    // For a certificate, APNs gives the reason in the GOAWAY.
    return { finding: apnsFinding(403, word, subjectOf(environment, options)), reason: word }
  }
  const { reason } = readApnsRefusal(answer.body)
  return { finding: apnsFinding(answer.status, reason, subjectOf(environment, options)), reason }
}

function subjectOf(environment: Environment, { application, credential }: ApnsProbeOptions): ApnsSubject {
  return { application, credential: describeApns(credential), environment }
}
