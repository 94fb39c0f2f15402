import type { Application } from '../../application/application.ts'
import { createCredentialStore } from '../../application/credential-store.ts'
import { createAudienceCount } from '../../audience/audience-count.ts'
import type { Clock } from '../../clock.ts'
import type { Database } from '../../database/database.ts'
import { previewApns, previewFcm } from '../../gateway/preview.ts'
import type { ApnsIdentity } from '../../gateway/preview.ts'
import type { CheckSize } from '../../notification/rendered-size.ts'
import { createSampler } from '../../push/preview/preview-store.ts'
import { createPreview } from '../../push/preview/preview.ts'
import type { Preview } from '../../push/preview/preview.ts'
import type { PushTo } from './push-accept.ts'
import type { PushWanted } from './push-request.ts'

interface Dependencies {
  readonly database: Database
  readonly clock: Clock
  readonly checkSize: CheckSize
}

/** What POST /push/preview shows. Throws `Refused`. */
export function previewPush(
  application: Application,
  { notification, when, to }: Pick<PushWanted, 'notification' | 'when'> & { readonly to: PushTo },
  { database, clock, checkSize }: Dependencies,
): Promise<Preview> {
  // Summaries are not sealed, so no key is needed.
  const credentials = createCredentialStore({ database, clock, key: new Uint8Array(32) })
  const known = credentials.summaries(application).find((one) => one.provider === 'apns')
  const identity: ApnsIdentity | null =
    known?.provider === 'apns' ? { topic: known.topic, signed: known.kind === 'key' } : null
  const preview = createPreview({
    clock,
    checkSize,
    count: createAudienceCount({ database }),
    sample: createSampler({ database }),
    render: { apns: (_, message, recipient) => previewApns(message, recipient, identity), fcm: previewFcm },
  })
  const audience =
    'filter' in to
      ? { filter: { ...to.filter, asOf: clock.now() } }
      : { device: to.device.id, platform: to.device.platform }
  return preview(application, audience, notification, when)
}
