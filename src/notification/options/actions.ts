import { invalid, show } from '../../http/fields.ts'
import { actionName } from '../../stats/receipt.ts'
import { isJsonObject } from '../../text/json-object.ts'
import { webUrl } from '../option-fields.ts'
import type { PushOption } from '../option.ts'
import { title } from './text.ts'

/** A button below the text. */
export interface Action {
  /** What the app reports by PUT /stats. */
  readonly action: string
  readonly title: string
  /** Http or https. Default: the push's. */
  readonly link?: string
}

/** Chromium shows two (`Notification.maxActions`); a browser leaves out those without room (Notifications API). */
const MAX_ACTIONS = 3

const KEYS: readonly string[] = ['action', 'title', 'link']

export const actions: PushOption<readonly Action[]> = {
  field: {
    schema: {
      type: 'array',
      maxItems: MAX_ACTIONS,
      items: {
        type: 'object',
        properties: {
          action: { ...actionName.schema, description: 'Its name, which PUT /stats reports when it is chosen.' },
          title: { type: 'string', description: 'Its label.' },
          link: { type: 'string', description: 'An http or https URL to open. Default: the `link` of the push.' },
        },
        required: ['action', 'title'],
        additionalProperties: false,
      },
      description: `Browsers only: at most ${MAX_ACTIONS} buttons below the text. A browser shows those that fit, often two. Needs \`msg\` or \`title\`. On iOS the buttons are those of the \`category\`; on Android the app makes them, of the \`payload\`. Counts towards the 4096 bytes.`,
      example: [{ action: 'track', title: 'Track it', link: 'https://shop.example/track/17' }],
    },
    emptyIsAbsent: true,
    read(value, name) {
      if (!Array.isArray(value)) throw invalid(name, `must be a list of buttons, not ${show(value)}`)
      if (value.length > MAX_ACTIONS) throw invalid(name, `must be at most ${MAX_ACTIONS} buttons`)
      const read = value.map((one: unknown, index) => actionIn(one, `${name}[${index}]`))
      read.forEach(({ action }, index) => {
        if (read.findIndex((one) => one.action === action) < index) {
          throw invalid(`${name}[${index}].action`, 'must not be the name of another button')
        }
      })
      return read.length === 0 ? null : read
    },
  },
  alsoCalled: 'action buttons webButtons',
  isShown: true,
  needsText: true,
  mayBeLong: true,
  flag: {
    name: 'action',
    placeholder: 'JSON',
    doc: 'a button, for browsers: {"action": "track", "title": "Track it", "link": "https://…"}',
    takes: 'json',
    list: true,
    example: '{"action": "track", "title": "Track it"}',
  },
  webPush(actions, { '': shown }) {
    const { navigate } = shown
    shown['actions'] = actions.map(({ action, title, link }) => ({ action, title, navigate: link ?? navigate }))
  },
}

function actionIn(value: unknown, name: string): Action {
  if (!isJsonObject(value)) throw invalid(name, `must be {"action": …, "title": …}, not ${show(value)}`)
  const strange = Object.keys(value).find((key) => !KEYS.includes(key))
  if (strange !== undefined) {
    throw invalid(`${name}.${strange.slice(0, 32)}`, `is not a field of a button: these are ${KEYS.join(', ')}`)
  }
  const link = value['link'] === '' ? null : (value['link'] ?? null)
  return {
    action: actionName.read(present(value['action'], `${name}.action`), `${name}.action`),
    title: title.field.read(present(value['title'], `${name}.title`), `${name}.title`) ?? '',
    ...(link !== null && { link: webUrl.read(link, `${name}.link`) }),
  }
}

/** A browser shows no button without a name or a text. */
function present(value: unknown, name: string): unknown {
  if (value === undefined || value === null || value === '') throw invalid(name, 'must not be empty')
  return value
}
