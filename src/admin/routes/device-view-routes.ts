import { Elysia } from 'elysia'
import { SEARCH_KEYS } from '../../device/device-search-store.ts'
import type { DeviceSearch } from '../../device/device-search-store.ts'
import { failure, Refused } from '../../failure.ts'
import { invalid, missing } from '../../http/fields.ts'
import { adminCall } from '../admin-endpoint.ts'
import { DeviceAnswer, DeviceSearchAnswer, UsersAnswer } from '../api-types/device-types.ts'
import { applicationNamed } from '../application-fields.ts'
import { deviceViewOf } from '../view/device-view.ts'
import type { DevicesView } from '../view/device-view.ts'
import type { AdminParts } from './admin-parts.ts'

interface Dependencies extends AdminParts {
  readonly search: DeviceSearch
  readonly devices: DevicesView
}

const MAX_FOUND = 50

const USERS_A_PAGE = 100

/** The length of the longest token. */
const MAX_CHARACTERS = 4096

export function deviceViewRoutes({ gate, directory, search, devices }: Dependencies) {
  return new Elysia({ name: 'device-view-routes' })
    .use(gate)
    .get(
      '/api/applications/:id/devices/search',
      ({ params, query }) => {
        const { number } = applicationNamed(directory, params.id)
        const text = query['q'] ?? ''
        if (text === '') throw missing('q')
        if (text.length > MAX_CHARACTERS) throw invalid('q', `must be at most ${MAX_CHARACTERS} characters`)
        const by = SEARCH_KEYS.find((key) => key === query['by'])
        if (query['by'] !== undefined && by === undefined)
          throw invalid('by', `must be one of ${SEARCH_KEYS.join(', ')}`)
        const { key, devices } = search.find(number, text, by === undefined ? SEARCH_KEYS : [by], MAX_FOUND)
        return { by: key, devices: devices.map(deviceViewOf) } satisfies DeviceSearchAnswer
      },
      adminCall('Devices', 'Find devices', {
        answer: DeviceSearchAnswer,
        query: {
          q: 'A token, or its first 8 characters; an alias, a user, a tag.',
          by: '`token`, `alias`, `user` or `tag`. Default: the first of them that finds anything.',
        },
      }),
    )
    .get(
      '/api/applications/:id/users',
      ({ params, query }) => {
        const { number } = applicationNamed(directory, params.id)
        const users = search.users(number, query['q'] ?? '', query['after'] ?? '', USERS_A_PAGE)
        const next = users.length < USERS_A_PAGE ? null : (users.at(-1)?.user ?? null)
        return { users, next } satisfies UsersAnswer
      },
      adminCall('Devices', 'Users, each with the number of their devices', {
        answer: UsersAnswer,
        query: { q: 'How the user ID begins. Default: all users.', after: '`next` of the previous page.' },
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
      adminCall('Devices', 'One, and what became of the last pushes there, and why', { answer: DeviceAnswer }),
    )
}
