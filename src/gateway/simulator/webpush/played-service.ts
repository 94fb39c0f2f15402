import { pushServiceMaker } from '../../../device/webpush/push-services.ts'
import type { PushServiceMaker } from '../../../device/webpush/push-services.ts'

/** Whose push service is played. `other`: one that follows the RFCs, and says why by a `reason`. */
export type PlayedService = PushServiceMaker | 'ntfy'

const PLAYED: readonly string[] = ['apple', 'google', 'mozilla', 'microsoft', 'ntfy'] satisfies PlayedService[]

/** That of the host; of another host, the one that the path begins with: `https://…/apple/…`. */
export function playedService(endpoint: string): PlayedService {
  const url = new URL(endpoint)
  const maker = pushServiceMaker(url)
  if (maker !== 'other') return maker
  const [, first = ''] = url.pathname.split('/')
  return PLAYED.includes(first) ? (first as PlayedService) : 'other'
}
