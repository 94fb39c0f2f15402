import { isJsonObject, parseJsonObject } from '../../../text/json-object.ts'
import type { JsonObject } from '../../../text/json-object.ts'
import { FCM_ERROR } from '../../fcm/error.ts'
import { createAnswering } from '../gateway.ts'
import type { GatewayOptions } from '../gateway.ts'
import { listenHttp2 } from '../http2/http2-listener.ts'
import type { Http2Listener } from '../http2/http2-listener.ts'
import type { IncomingRequest, Reply, SimulatedAnswer } from '../http2/reply.ts'
import type { ReceivedPush } from '../received-pushes.ts'
import { accessTokenRefusal, fcmAcceptance, fcmMagicToken, fcmRefusal, projectRefusal } from './fcm-answer.ts'
import type { FcmRefusal } from './fcm-answer.ts'
import { checkFcmMessage } from './fcm-message.ts'
import type { FcmMessage } from './fcm-message.ts'
import { googleError, googlePage } from './google-error.ts'
import type { GrantFault, TokenIssuer } from './token-issuer.ts'

export interface FcmGatewayOptions extends GatewayOptions {
  readonly tokens: TokenIssuer
  /** For `quota` and `busy`. */
  readonly retryAfterSeconds: number
}

export async function startFcmGateway(options: FcmGatewayOptions): Promise<Http2Listener> {
  const { clock, known, tokens, record, retryAfterSeconds } = options
  const answer = createAnswering<FcmRefusal>(options)
  let sent = 0

  /** In the order of Google's front end. */
  const refuseCaller = ({ method, headers }: IncomingRequest, projectId: string): SimulatedAnswer | null => {
    if (projectId === '' || method !== 'POST') return googlePage(404, 'Not Found')
    const token = /^bearer +(\S+)$/i.exec(headers['authorization'] ?? '')?.[1]
    if (token === undefined) return accessTokenRefusal('CREDENTIALS_MISSING')
    const caller = tokens.lookUp(token, clock.monotonic())
    if (caller.kind === 'unknown') return accessTokenRefusal('ACCESS_TOKEN_TYPE_UNSUPPORTED')
    if (caller.kind === 'expired') return accessTokenRefusal('ACCESS_TOKEN_EXPIRED')
    if (!known.hasProject(projectId)) return projectRefusal('unknown', projectId)
    return caller.account.projectId === projectId ? null : projectRefusal('other-project', projectId)
  }

  const deliver = (message: FcmMessage, headers: IncomingRequest['headers'], projectId: string): Reply => {
    const { token, isFid, body, validateOnly } = message
    return answer({ gateway: 'fcm', token, headers, body }, fcmMagicToken(token), {
      accept: () => fcmAcceptance(`projects/${projectId}/messages/${validateOnly ? 'fake_message_id' : ++sent}`),
      refuse(refusal) {
        const grantFault = GRANT_FAULTS[refusal]
        if (grantFault !== undefined) tokens.refuseNext(projectId, grantFault)
        return fcmRefusal(refusal, projectId, retryAfterSeconds, isFid)
      },
    })
  }

  return await listenHttp2({
    ...options,
    open: () => null,
    handle(request) {
      const projectId = PATH.exec(request.path)?.[1] ?? ''
      const text = request.body.toString()
      const verdict = refuseCaller(request, projectId) ?? readMessage(text)
      const reply = 'token' in verdict ? deliver(verdict, request.headers, projectId) : answerWith(verdict)
      record({
        provider: 'fcm',
        environment: null,
        pushType: null,
        target: projectId === '' ? null : projectId,
        headers: {},
        ...('token' in verdict
          ? { token: verdict.token, collapse: verdict.tag, body: verdict.body }
          : describeRefused(parseJsonObject(text))),
        ...outcomeOf(reply),
        at: clock.now(),
      })
      return reply
    },
  })
}

const GRANT_FAULTS: { readonly [Name in FcmRefusal]?: GrantFault } = { oauthclock: 'clock', oauthkey: 'key' }

const PATH = /^\/v1\/projects\/([^/?:]+)\/messages:send(?:\?.*)?$/

function answerWith(answer: SimulatedAnswer): Reply {
  return { kind: 'answer', answer }
}

function readMessage(text: string): FcmMessage | SimulatedAnswer {
  const verdict = checkFcmMessage(text)
  return verdict.kind === 'message' ? verdict : googleError(verdict.error)
}

function describeRefused(body: JsonObject | null): Pick<ReceivedPush, 'token' | 'collapse' | 'body'> {
  const message = body?.['message']
  const token = isJsonObject(message) ? (message['token'] ?? message['fid']) : null
  return { token: typeof token === 'string' ? token : '', collapse: null, body }
}

function outcomeOf(reply: Reply): Pick<ReceivedPush, 'id' | 'status' | 'reason'> {
  if (reply.kind !== 'answer') return { id: null, status: null, reason: null }
  const { status, body } = reply.answer
  const { name, error } = parseJsonObject(body) ?? {}
  return { id: typeof name === 'string' ? name : null, status, reason: isJsonObject(error) ? reasonOf(error) : null }
}

function reasonOf({ status, details }: JsonObject): string | null {
  const list: readonly unknown[] = Array.isArray(details) ? details : []
  const own = list.filter(isJsonObject).find((detail) => detail['@type'] === FCM_ERROR)
  const reason = own?.['errorCode'] ?? status
  return typeof reason === 'string' ? reason : null
}
