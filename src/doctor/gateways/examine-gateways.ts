import type { Application } from '../../application/application.ts'
import type { ApnsCredential, Credential, FcmCredential } from '../../application/credential.ts'
import type { VapidCredential } from '../../application/vapid.ts'
import { within } from '../../clock.ts'
import type { Environment } from '../../device/device.ts'
import { chooseTransport } from '../../gateway/transport/choose-transport.ts'
import { answerTo } from '../../gateway/transport/transport.ts'
import type { OpenTransport } from '../../gateway/transport/transport.ts'
import type { DoctorConfig, DoctorContext } from '../context.ts'
import { createCheckList, skipped } from '../finding.ts'
import type { CheckList, DoctorCheck, Finding } from '../finding.ts'
import { judgeClock } from '../machine/clock-check.ts'
import type { ToldTime } from '../machine/clock-check.ts'
import { probeApns } from './apns-probe.ts'
import type { ApnsSigning } from './apns-probe.ts'
import { probeFcm } from './fcm-probe.ts'
import { hearing } from './hearing.ts'
import { checkReach, REACH_MS, wayTo } from './reach-check.ts'
import { KNOWN_PUSH_SERVICES, probeWebPush } from './webpush-probe.ts'

type ProbedApplication = Pick<Application, 'id' | 'name'>

export type Subject =
  | {
      readonly kind: 'apns'
      readonly application: ProbedApplication
      readonly credential: ApnsCredential
      readonly signing: ApnsSigning
    }
  | { readonly kind: 'fcm'; readonly application: ProbedApplication; readonly credential: FcmCredential }
  | { readonly kind: 'webpush'; readonly application: ProbedApplication; readonly credential: VapidCredential }

export interface Examined {
  readonly application: ProbedApplication
  readonly credential: Credential
  readonly signing: ApnsSigning
}

export function subjectOf({ application, credential, signing }: Examined): Subject {
  if (credential.kind === 'vapid') return { kind: 'webpush', application, credential }
  if (credential.kind === 'service-account') return { kind: 'fcm', application, credential }
  return { kind: 'apns', application, credential, signing }
}

export interface ExamineGateways extends Pick<DoctorContext, 'clock' | 'stopwatch'> {
  readonly config: Pick<
    DoctorConfig,
    'apnsUrl' | 'apnsSandboxUrl' | 'fcmUrl' | 'fcmTokenUrl' | 'pushServices' | 'proxy' | 'transport'
  >
  /** PEM; `undefined`: what the system trusts. */
  readonly ca: string | undefined
}

/** Checks one credential and the way to its gateways. Takes up to ten seconds. */
export async function examineCredential(examined: Examined, options: ExamineGateways): Promise<readonly DoctorCheck[]> {
  const list = createCheckList(options.stopwatch)
  await examineGateways([subjectOf(examined)], list, options)
  return list.checks()
}

/** Many parallel connections would look like an attack. */
const AT_A_TIME = 8

export async function examineGateways(
  subjects: readonly Subject[],
  list: CheckList,
  { config, ca, clock, stopwatch }: ExamineGateways,
): Promise<void> {
  const told: ToldTime[] = []
  const { proxy } = config
  const openTransport = hearing(
    chooseTransport(config, clock, () => undefined),
    (answer) => {
      const header = answer.kind === 'answer' ? answer.header('date') : null
      if (header !== null) told.push({ header, at: clock.now() })
    },
  )
  const reached = await reachAll(subjects, list, { config, ca, clock, stopwatch })
  const shared = { ca, openTransport, clock, wayTo: (origin: string) => wayTo(new URL(origin), proxy) }

  const ask = async (subject: Subject): Promise<void> => {
    const { application } = subject
    const place = (id: string) => ({ id, group: 'application', application }) as const
    if (subject.kind === 'webpush') {
      const services = [...KNOWN_PUSH_SERVICES, ...(config.pushServices ?? [])]
      const asked = { ...shared, application: application.id, credential: subject.credential, services }
      await list.look(place('webpush'), () => probeWebPush(asked))
      return
    }
    if (subject.kind === 'fcm') {
      const lost = reached.get('fcm')?.state === 'failed' || reached.get('fcm-token')?.state === 'failed'
      await list.look(place('fcm'), () =>
        lost
          ? notAsked('FCM')
          : probeFcm({
              ...shared,
              application: application.id,
              credential: subject.credential,
              origin: config.fcmUrl,
              tokenUrl: config.fcmTokenUrl,
            }),
      )
      return
    }
    const environments = environmentsOf(subject.credential)
    const open = environments.filter((environment) => reached.get(environment)?.state !== 'failed')
    const asked = probeApns({
      ...shared,
      application: application.id,
      credential: subject.credential,
      signing: subject.signing,
      environments: open,
      origins: { production: config.apnsUrl, sandbox: config.apnsSandboxUrl },
    })
    await Promise.all(
      environments.map((environment) =>
        list.look(place(`apns-${environment}`), async () => (await asked).get(environment) ?? notAsked('APNs')),
      ),
    )
  }
  for (let at = 0; at < subjects.length; at += AT_A_TIME) {
    await Promise.all(subjects.slice(at, at + AT_A_TIME).map(ask))
  }

  await list.look({ id: 'clock', group: 'machine' }, async () => {
    // APNs sends no Date header.
    if (told.length === 0) await within(clock, REACH_MS, askTime(config.fcmTokenUrl, shared), null)
    return judgeClock(told)
  })
}

type Gateway = Environment | 'fcm' | 'fcm-token'

async function reachAll(
  subjects: readonly Subject[],
  list: CheckList,
  { config, ca, clock, stopwatch }: ExamineGateways,
): Promise<ReadonlyMap<Gateway, Finding>> {
  const { apnsUrl, apnsSandboxUrl, fcmUrl, fcmTokenUrl, proxy } = config
  const all: readonly (readonly [Gateway, id: string, origin: string])[] = [
    ['production', 'gateway-apns', apnsUrl],
    ['sandbox', 'gateway-apns-sandbox', apnsSandboxUrl],
    ['fcm', 'gateway-fcm', fcmUrl],
    ['fcm-token', 'gateway-fcm-token', new URL(fcmTokenUrl).origin],
  ]
  const needed = new Set(subjects.flatMap((subject): readonly Gateway[] => gatewaysOf(subject)))
  // Without credentials, check all gateways.
  const asked = subjects.length === 0 ? all : all.filter(([gateway]) => needed.has(gateway))
  return new Map(
    await Promise.all(
      asked.map(async ([gateway, id, origin]) => {
        const options = { clock, proxy, ca, stopwatch, olderWillDo: gateway === 'fcm-token' }
        const finding = await list.look({ id, group: 'gateways' }, () => checkReach(origin, options))
        return [gateway, finding] as const
      }),
    ),
  )
}

function gatewaysOf(subject: Subject): readonly Gateway[] {
  if (subject.kind === 'webpush') return []
  return subject.kind === 'fcm' ? ['fcm', 'fcm-token'] : environmentsOf(subject.credential)
}

export function environmentsOf({ environment }: Pick<ApnsCredential, 'environment'>): readonly Environment[] {
  return environment === 'auto' ? ['production', 'sandbox'] : [environment]
}

function notAsked(gateway: string): Finding {
  return skipped(`${gateway} was not asked: it cannot be reached.`, 'See the gateway checks.')
}

/** Every answer has a Date header, even a refusal. */
async function askTime(
  url: string,
  { openTransport, ca }: { readonly openTransport: OpenTransport; readonly ca: string | undefined },
): Promise<void> {
  const { origin, pathname } = new URL(url)
  await using transport = openTransport(origin, { deadlineMs: REACH_MS, ...(ca !== undefined && { ca }) })
  await answerTo(transport, {
    path: pathname,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'grant_type=',
  })
}
