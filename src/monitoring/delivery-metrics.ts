import type { SenderStats } from '../delivery/sender-stats.ts'
import { PLATFORM, PLATFORMS } from '../platform.ts'
import type { Platform } from '../device/device.ts'
import { pushServiceName } from '../device/webpush/push-services.ts'
import type { ApplicationCounts } from './background-count.ts'
import { counter, gauge, histogram } from './exposition.ts'
import type { Family, SeriesLabels } from './exposition.ts'
import { Histogram } from './histogram.ts'
import { named } from './tally.ts'
import type { NameOf } from './tally.ts'

const BOUNDS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

const OUTCOMES = ['accepted', 'gone', 'rejected', 'deferred', 'misconfigured'] as const

const PAUSES = ['unreachable', 'misconfigured', 'no-credential'] as const

export type GatewayLatency = Readonly<Record<Platform, Histogram>>

export function gatewayLatency(): GatewayLatency {
  return Object.fromEntries(PLATFORMS.map((platform) => [platform, new Histogram(BOUNDS_SECONDS)])) as GatewayLatency
}

interface Sources {
  readonly senders: readonly SenderStats[]
  readonly latency: GatewayLatency
  readonly counts: ApplicationCounts
  readonly nameOf: NameOf
  readonly now: number
}

export function deliveryFamilies({ senders, latency, counts, nameOf, now }: Sources): Family[] {
  const all = named(senders, nameOf)
  const each = (value: (sender: SenderStats) => number) =>
    all.map((sender) => [labelsOf(sender), value(sender)] as const)
  const open = new Map(counts.open.map((counted) => [`${counted.application}/${counted.platform}`, counted.count]))

  return [
    counter(
      'bellhop_push_notifications_total',
      'Answers of the gateways, one for each request: a notification that is retried counts again.',
      all.flatMap((sender) =>
        OUTCOMES.map((outcome) => [{ ...labelsOf(sender), outcome }, sender.outcomes[outcome]] as const),
      ),
    ),
    counter(
      'bellhop_push_expired_total',
      'Notifications whose time to live ended before a gateway accepted them.',
      each(({ outcomes }) => outcomes.expired),
    ),
    histogram(
      'bellhop_gateway_request_duration_seconds',
      "From handing a notification to the connection until the gateway's answer.",
      PLATFORMS.map((platform) => [{ platform: PLATFORM[platform].label }, latency[platform]]),
    ),
    gauge(
      'bellhop_gateway_in_flight',
      'Notifications sent and not yet answered.',
      each(({ inFlight }) => inFlight),
    ),
    counter(
      'bellhop_gateway_connections_total',
      'Connections opened to the gateways since the credential was loaded (a lower bound).',
      each(({ connections }) => connections),
    ),
    gauge(
      'bellhop_sender_paused',
      'Whether sending is paused, by state: unreachable gateway, refused credential, or no credential for waiting devices.',
      all.flatMap((sender) =>
        PAUSES.map((pause) => {
          const counts = pause !== 'no-credential' || sender.recipients > 0
          return [{ ...labelsOf(sender), state: pause }, sender.state === pause && counts ? 1 : 0] as const
        }),
      ),
    ),
    gauge(
      'bellhop_push_services_paused',
      'Push services that sending is paused for, because they are unreachable or asked to wait. Absent if there are none.',
      all.flatMap((sender) =>
        sender.pausedServices.map(
          ({ service }) => [{ ...labelsOf(sender), service: pushServiceName(service) }, 1] as const,
        ),
      ),
    ),
    gauge(
      'bellhop_queue_open_pushes',
      'Unfinished pushes.',
      // Newer pushes than the last count are in memory.
      each((sender) => Math.max(open.get(`${sender.application}/${sender.platform}`) ?? 0, sender.open)),
    ),
    gauge(
      'bellhop_queue_waiting_recipients',
      'Devices still to be sent to in loaded pushes.',
      each(({ recipients }) => recipients),
    ),
    gauge(
      'bellhop_queue_oldest_age_seconds',
      'Age of the oldest due push that has not finished; 0 while its sender is paused.',
      each(({ dueSince }) => (dueSince === null ? 0 : Math.max(now - dueSince, 0) / 1000)),
    ),
    gauge(
      'bellhop_devices',
      'Registered devices, counted every few minutes if there are a million.',
      named(counts.devices, nameOf).map((counted) => [labelsOf(counted), counted.count]),
    ),
  ]
}

function labelsOf({ name, platform }: { readonly name: string; readonly platform: Platform }): SeriesLabels {
  return { application: name, platform: PLATFORM[platform].label }
}
