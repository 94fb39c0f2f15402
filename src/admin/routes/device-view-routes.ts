import { Elysia } from 'elysia'
import { asPlatform } from '../../device/device-fields.ts'
import { STATE } from '../../device/device-row.ts'
import { SEARCH_KEYS } from '../../device/device-search-store.ts'
import type { DeviceSearch } from '../../device/device-search-store.ts'
import type { DeviceState } from '../../device/device.ts'
import type { NewestQuery } from '../../device/newest-device-store.ts'
import { failure, Refused } from '../../failure.ts'
import { invalid, missing, show } from '../../http/fields.ts'
import { adminCall } from '../admin-endpoint.ts'
import { DeviceAnswer, DevicesAnswer, DeviceSearchAnswer, UserAnswer, UsersAnswer } from '../api-types/device-types.ts'
import { applicationNamed } from '../application-fields.ts'
import { deviceViewOf } from '../view/device-view.ts'
import type { DevicesView } from '../view/device-view.ts'
import type { AdminParts } from './admin-parts.ts'

interface Dependencies extends AdminParts {
  readonly search: DeviceSearch
  readonly devices: DevicesView
}

const MAX_FOUND = 50

const DEVICES_A_PAGE = 50

const USERS_A_PAGE = 100

/** The length of the longest token. */
const MAX_CHARACTERS = 4096

export function deviceViewRoutes({ gate, directory, search, devices }: Dependencies) {
  return new Elysia({ name: 'device-view-routes' })
    .use(gate)
    .get(
      '/api/applications/:id/devices',
      ({ params, query }) => devices.page(applicationNamed(directory, params.id).number, newestIn(query)),
      adminCall('Devices', 'Devices, newest first', {
        answer: DevicesAnswer,
        query: {
          state: '`registered` (default), `gone` or `quarantined`: the latter two in the order they left.',
          platform: '`0`, `1` or `2`.',
          tag: 'One that they have.',
          user: 'Whose they are.',
          version: 'Of the app.',
          before: '`next` of the page before.',
        },
      }),
    )
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
          by: '`token`, `alias`, `user` or `tag`. Default: the first that matches.',
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
      adminCall('Devices', 'Users and their numbers of devices', {
        answer: UsersAnswer,
        query: { q: 'A prefix of the user ID. Default: all users.', after: '`next` of the previous page.' },
      }),
    )
    .get(
      '/api/applications/:id/users/:user',
      ({ params }) => {
        const found = devices.ofUser(applicationNamed(directory, params.id).number, params.user)
        if (found === null) throw new Refused(failure('ResourceNotFound', 'No user found'))
        return found
      },
      adminCall('Devices', 'A user with their devices and recent pushes', {
        answer: UserAnswer,
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
      adminCall('Devices', 'A device, with the outcome of recent pushes and why', { answer: DeviceAnswer }),
    )
}

function newestIn(query: Readonly<Record<string, string | undefined>>): NewestQuery {
  const { tag, user, version, before } = query
  const state = oneIn(query['state'] || 'registered', 'state', (text) => STATES.find((one) => one === text))
  const platform = query['platform'] ? oneIn(query['platform'], 'platform', asPlatform) : null
  const given = { tag: tag || null, user: user || null, version: version || null, before: before || null }
  return { state, platform, ...given, limit: DEVICES_A_PAGE }
}

const STATES = Object.keys(STATE) as readonly DeviceState[]

function oneIn<T>(text: string, name: string, read: (text: string) => T | null | undefined): T {
  const found = read(text) ?? null
  if (found === null) throw invalid(name, `is not known: ${show(text)}`)
  return found
}
