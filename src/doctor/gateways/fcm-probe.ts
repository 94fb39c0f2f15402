import { describeFcm } from '../../application/credential.ts'
import type { FcmCredential } from '../../application/credential.ts'
import { within } from '../../clock.ts'
import { createAccessTokens } from '../../gateway/fcm/token.ts'
import { answerTo } from '../../gateway/transport/transport.ts'
import { renderFcm } from '../../notification/fcm-render.ts'
import type { Finding } from '../finding.ts'
import { ANSWER_MS } from './apns-probe.ts'
import type { ProbeOptions } from './apns-probe.ts'
import { connectionFinding } from './connection-failure.ts'
import { fcmFinding, fidFinding, grantFinding, isRefusal } from './fcm-finding.ts'

interface FcmProbeOptions extends ProbeOptions {
  readonly credential: FcmCredential
  readonly origin: string
  readonly tokenUrl: string
}

/** Gets an access token and has FCM validate a push. */
export async function probeFcm(options: FcmProbeOptions): Promise<Finding> {
  const finding = await within(options.clock, ANSWER_MS, ask(options), 'late')
  return finding === 'late' ? connectionFinding('deadline', options.wayTo(options.origin)) : finding
}

/** Real tokens are longer, and contain a colon. */
const IMPOSSIBLE_TOKEN = 'bellhop doctor'
/** Shaped like a Firebase Installation ID. */
const IMPOSSIBLE_FID = 'f_unregistered_-doctor'

async function ask(options: FcmProbeOptions): Promise<Finding> {
  const { application, credential, origin, tokenUrl, wayTo, ca, openTransport, clock } = options
  const subject = { application, credential: describeFcm(credential) }
  await using tokens = createAccessTokens({
    credential,
    tokenUrl,
    openTransport,
    clock,
    ...(ca !== undefined && { ca }),
  })
  const authorization = await tokens.current()
  if (typeof authorization !== 'string') {
    if (isRefusal(authorization)) return grantFinding(authorization, subject)
    return connectionFinding('reason' in authorization ? authorization.reason : 'deadline', wayTo(tokenUrl))
  }
  await using transport = openTransport(origin, { deadlineMs: ANSWER_MS, ...(ca !== undefined && { ca }) })
  const about = (target: string) =>
    answerTo(transport, {
      path: `/v1/projects/${encodeURIComponent(credential.projectId)}/messages:send`,
      headers: { authorization, 'content-type': 'application/json', 'accept-encoding': 'identity' },
      body: validateOnly(target, clock.now()),
    })
  const [ofToken, ofFid] = await Promise.all([about(IMPOSSIBLE_TOKEN), about(IMPOSSIBLE_FID)])
  if (ofToken.kind === 'failed') return connectionFinding(ofToken.reason, wayTo(origin))
  const finding = fcmFinding(ofToken.status, ofToken.body, subject)
  if (ofFid.kind === 'failed') return finding
  return fidFinding(ofFid.status, ofFid.body, { credential: subject.credential, ofToken: finding })
}

/** "Flag for testing the request without actually delivering the message" (Google, projects.messages.send). */
function validateOnly(target: string, now: number): string {
  const notification = { msg: null, sound: null, badge: null, payload: null, ttl: 0 }
  const rendered = renderFcm({ push: Bun.randomUUIDv7(), notification, expiresAt: now })
  return `{"validate_only":true,${rendered.body(target, null, now).slice(1)}`
}
