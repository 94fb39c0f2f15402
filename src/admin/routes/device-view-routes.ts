import { Elysia } from 'elysia'
import { failure, Refused } from '../../failure.ts'
import { invalid, missing } from '../../http/fields.ts'
import { adminCall } from '../admin-endpoint.ts'
import { DeviceAnswer, DeviceSearchAnswer } from '../api-types/device-types.ts'
import { applicationNamed } from '../application-fields.ts'
import type { DevicesView } from '../view/device-view.ts'
import type { AdminParts } from './admin-parts.ts'

interface Dependencies extends AdminParts {
  readonly devices: DevicesView
}

/** The length of the longest token. */
const MAX_CHARACTERS = 4096

export function deviceViewRoutes({ gate, directory, devices }: Dependencies) {
  return new Elysia({ name: 'device-view-routes' })
    .use(gate)
    .get(
      '/api/applications/:id/devices/search',
      ({ params, query }) => {
        const { number } = applicationNamed(directory, params.id)
        const text = query['q'] ?? ''
        if (text === '') throw missing('q')
        if (text.length > MAX_CHARACTERS) throw invalid('q', `must be at most ${MAX_CHARACTERS} characters`)
        return devices.find(number, text)
      },
      adminCall({
        tag: 'Devices',
        summary: 'Find devices',
        answer: DeviceSearchAnswer,
        query: { q: 'A token, or its first 8 characters; an alias, a user, a tag.' },
      }),
    )
    .get(
      '/api/applications/:id/devices/:device',
      ({ params }) => {
        const { number } = applicationNamed(directory, params.id)
        const found = /^\d{1,15}$/.test(params.device) ? devices.one(number, Number(params.device)) : null
        if (found === null) throw new Refused(failure('ResourceNotFound', 'No device found'))
        return found
      },
      adminCall({
        tag: 'Devices',
        summary: 'One, and what became of the last pushes there, and why',
        answer: DeviceAnswer,
      }),
    )
}
