import type { Application } from '../application/application.ts'
import { narrowed } from '../audience/named-devices.ts'
import type { Clock } from '../clock.ts'
import type { DeviceStore } from '../device/device-store.ts'
import { refusalIn } from '../failure.ts'
import type { Failure } from '../failure.ts'
import type { Preview } from '../push/preview/preview.ts'
import type { Pushing } from '../push/pushing.ts'
import type { Hook } from './hook.ts'
import type { HookEvent } from './placeholder.ts'
import { pushOfEvent } from './push-of-event.ts'

interface Dependencies {
  readonly clock: Pick<Clock, 'now'>
  readonly devices: Pick<DeviceStore, 'idsOf'>
  readonly pushing: Pick<Pushing, 'preview' | 'reach'>
}

export type PreviewedEvent =
  | {
      readonly kind: 'push'
      readonly body: Readonly<Record<string, unknown>>
      /** The event's ID, if it has one. */
      readonly event: string | null
      readonly preview: Preview
    }
  | { readonly kind: 'ignored'; readonly why: string }
  | { readonly kind: 'refused'; readonly why: Failure }

export async function previewEvent(
  { clock, devices, pushing }: Dependencies,
  application: Application,
  hook: Pick<Hook, 'name' | 'template' | 'signature'>,
  came: HookEvent,
): Promise<PreviewedEvent> {
  const found = pushOfEvent(hook, came)
  if (found.kind !== 'push') return found
  const { body, event, push } = found
  try {
    const filter = narrowed(devices, application.number, pushing.reach(application, push.filter), push.tokens)
    const audience = { filter: { ...filter, asOf: clock.now() } }
    return {
      kind: 'push',
      body,
      event,
      preview: await pushing.preview(application, audience, push.notification, push.when),
    }
  } catch (error) {
    return { kind: 'refused', why: refusalIn(error) }
  }
}
