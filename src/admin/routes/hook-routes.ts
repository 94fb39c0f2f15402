import { randomBytes } from 'node:crypto'
import { Elysia } from 'elysia'
import type { DeviceStore } from '../../device/device-store.ts'
import { failure, Refused } from '../../failure.ts'
import type { HookStore } from '../../hook/hook-store.ts'
import { newHookKey } from '../../hook/hook.ts'
import type { Hook } from '../../hook/hook.ts'
import { previewEvent } from '../../hook/preview-event.ts'
import { SIGNATURE_NAMES } from '../../hook/sender-proof.ts'
import { templateProblems } from '../../hook/push-of-event.ts'
import { setHook } from '../../hook/set-hook.ts'
import type { HookProblem } from '../../hook/set-hook.ts'
import { bodyOf, describedAs, fieldOf, optional, required } from '../../http/fields.ts'
import type { Pushing } from '../../push/pushing.ts'
import { isoTime } from '../../text/format.ts'
import { isJsonObject, parseJsonObject } from '../../text/json-object.ts'
import { adminCall } from '../admin-endpoint.ts'
import { HookPreviewAnswer, HooksAnswer, SetHookAnswer } from '../api-types/hook-types.ts'
import type { HookView } from '../api-types/hook-types.ts'
import { applicationNamed } from '../application-fields.ts'
import { anyString, knownOnly } from '../application-schema.ts'
import type { AdminParts } from './admin-parts.ts'

interface Dependencies extends AdminParts {
  readonly hooks: HookStore
  readonly devices: Pick<DeviceStore, 'idsOf'>
  readonly pushing: Pick<Pushing, 'preview' | 'reach'>
}

const template = describedAs('The template, JSON.', anyString({}, { emptyIsAbsent: false }))

const signature = describedAs(
  'How the sender signs its calls. Default: as before; of a new hook, a key in the path.',
  fieldOf({ enum: SIGNATURE_NAMES }, `one of ${SIGNATURE_NAMES.join(', ')}`, (value) =>
    SIGNATURE_NAMES.find((one) => one === value),
  ),
)

const secret = describedAs('What the sender signs with, as it shows it.', anyString({}, { isSecret: true }))

const yesOrNo = fieldOf({ type: 'boolean' }, 'true or false', (value) =>
  typeof value === 'boolean' ? value : undefined,
)
const newKey = describedAs('true: another key; the old one stops working.', yesOrNo)
const isNew = describedAs('true: refused with 409 if there is a hook of this name.', yesOrNo)

const ChangeHook = knownOnly(
  bodyOf({
    template: required(template),
    signature: optional(signature),
    secret: optional(secret),
    newKey: optional(newKey),
    isNew: optional(isNew),
  }),
)

const example = describedAs(
  'The body of a call, JSON.',
  fieldOf(
    { type: 'string' },
    'the text of a JSON object',
    (value) => (typeof value === 'string' ? (parseJsonObject(value) ?? undefined) : undefined),
    { emptyIsAbsent: false },
  ),
)

const headers = describedAs(
  'Headers of a call, by their names.',
  fieldOf({ type: 'object', additionalProperties: { type: 'string' } }, 'an object of texts', (value) => {
    if (!isJsonObject(value)) return undefined
    const entries = Object.entries(value)
    return entries.every(([, text]) => typeof text === 'string') ? new Map(entries.map(lowered)) : undefined
  }),
)

const lowered = ([name, text]: readonly [string, unknown]) => [name.toLowerCase(), String(text)] as const

const PreviewHook = knownOnly(
  bodyOf(
    {
      template: required(template),
      signature: optional(signature),
      example: required(example),
      headers: optional(headers),
    },
    ({ headers: given = new Map<string, string>(), ...rest }) => ({ ...rest, headers: given }),
  ),
)

const HOOK = '/api/applications/:id/hooks/:hook'

export function hookAdminRoutes({ gate, clock, directory, hooks, devices, pushing }: Dependencies) {
  const view = (hook: Hook): HookView => ({
    name: hook.name,
    template: hook.template,
    signature: hook.signature,
    changedAt: isoTime(hook.changedAt),
    calls: hooks.calls.of(hook.number).map((call) => Object.assign(call, { at: isoTime(call.at) })),
  })

  return new Elysia({ name: 'hook-admin-routes' })
    .use(gate)
    .get(
      '/api/applications/:id/hooks',
      ({ params }): HooksAnswer => ({ hooks: hooks.list(applicationNamed(directory, params.id).number).map(view) }),
      adminCall('Applications', 'The hooks of an application, with what became of their last calls', {
        answer: HooksAnswer,
      }),
    )
    .put(
      HOOK,
      async ({ change, params, body }): Promise<SetHookAnswer> => {
        const application = applicationNamed(directory, params.id)
        const { isNew = false, ...wanted } = body
        // Outside the operation, which may run twice.
        const made = newHookKey(randomBytes)
        return change(application.id, (note) => {
          const set = setHook(hooks, application, { name: params.hook, ...wanted }, made)
          if (set.kind === 'taken')
            throw new Refused(failure('ConflictError', `hook ${params.hook} belongs to another application.`))
          if (set.kind === 'wrong') throw new Refused(failure('InvalidArgument', set.problems.map(sentence).join(' ')))
          if (isNew && !set.isNew)
            throw new Refused(failure('ConflictError', `There is a hook ${params.hook} already.`))
          note({ detail: { hook: set.hook.name } })
          return { hook: view(set.hook), path: `/hook/${set.hook.name}${set.key === null ? '' : `/${set.key}`}` }
        })
      },
      adminCall('Applications', 'Make a hook, or change it. Only this answer contains a new key', {
        action: 'set hook',
        answer: SetHookAnswer,
        body: ChangeHook,
      }),
    )
    .delete(
      HOOK,
      async ({ change, params }): Promise<HooksAnswer> => {
        const application = applicationNamed(directory, params.id)
        return change(application.id, (note) => {
          if (hooks.find(params.hook)?.application !== application.number) {
            throw new Refused(failure('ResourceNotFound', 'No hook found'))
          }
          hooks.remove(params.hook)
          note({ detail: { hook: params.hook } })
          return { hooks: hooks.list(application.number).map(view) }
        })
      },
      adminCall('Applications', 'Delete a hook: its calls are refused', { action: 'delete hook', answer: HooksAnswer }),
    )
    .post(
      '/api/applications/:id/hooks/preview',
      async ({ params, body }): Promise<HookPreviewAnswer> => {
        const application = applicationNamed(directory, params.id)
        const { template, example, headers, signature = null } = body
        const problems = templateProblems(template)
        if (problems.length > 0)
          throw new Refused(failure('InvalidArgument', `template is not right: ${problems.join(' ')}`))
        const event = { body: example, header: (name: string) => headers.get(name) ?? null }
        const found = await previewEvent(
          { clock, devices, pushing },
          application,
          { name: 'new', template, signature },
          event,
        )
        const nothing = { body: null, event: null, devices: null }
        if (found.kind === 'ignored') return { outcome: 'ignored', why: found.why, ...nothing }
        if (found.kind === 'refused') return { outcome: 'refused', why: found.why.message, ...nothing }
        return { outcome: 'pushed', why: null, body: found.body, event: found.event, devices: found.preview.t }
      },
      adminCall('Applications', 'What would become of a call of a hook', {
        isLook: true,
        answer: HookPreviewAnswer,
        body: PreviewHook,
      }),
    )
}

const sentence = ({ field, problem }: HookProblem) => `${field} ${problem}`
