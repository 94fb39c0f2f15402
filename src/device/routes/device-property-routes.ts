import { Elysia } from 'elysia'
import type { Application } from '../../application/application.ts'
import type { JudgeProof } from '../../application/user-proofs.ts'
import type { Commit } from '../../database/group-commit.ts'
import { failure, Refused } from '../../failure.ts'
import { doneAnswer } from '../../http/answer-schema.ts'
import { described } from '../../http/endpoint.ts'
import type { Gate } from '../../http/gate.ts'
import { EXAMPLE_TOKEN } from '../device-fields.ts'
import * as schema from '../device-schema.ts'
import type { DeviceStore } from '../device-store.ts'
import type { Platform } from '../device.ts'
import type { GrowthBounds } from '../growth.ts'
import { found, labelled, NO_DEVICE_FOUND, noDevice, NOT_PROVEN } from './device-routes.ts'
import { ID_ALONE, idAloneOf } from './id-alone.ts'
import { judgeNames, mustProveNames } from './proven-names.ts'

interface Dependencies {
  readonly gate: Gate
  readonly commit: Commit
  readonly devices: Pick<DeviceStore, 'setAlias' | 'addLabels' | 'removeLabels' | 'setLocation' | 'setBadge'>
  readonly bounds: GrowthBounds
  readonly judgeProof: JudgeProof
  /** Called in the transaction that sets a badge; may run twice. */
  readonly badgeSet: (application: number, platform: Platform) => void
  /** Without the secret, an alias alone names a device, and a device may take another's. Default false. */
  readonly aliasesOpen?: boolean
}

/** Endpoints 4 to 7 and 13. */
export function devicePropertyRoutes(deps: Dependencies) {
  const { gate, commit, devices, bounds, judgeProof, badgeSet, aliasesOpen = false } = deps
  const idAlone = idAloneOf({ aliasesOpen })

  return new Elysia({ name: 'device-property-routes' })
    .use(gate.plugin)
    .put(
      '/alias',
      async ({ body, application, withSecret }) => {
        const call = { application, withSecret, aliasesOpen }
        if (body.token === undefined) checkNaming('current_alias', call)
        const names = judgeNames(call, body, judgeProof)
        if (names.kind === 'unproven') throw new Refused(names.why)
        const outcome = await commit(() => devices.setAlias(application.number, body, aliasesOpen))
        switch (outcome) {
          case 'ok':
            return { message: body.alias === '' ? 'Alias removed' : 'Alias set' }
          case 'no-device':
            throw noDevice()
          case 'alias-taken':
            throw aliasTaken()
          case 'mismatch':
            throw new Refused(failure('ConflictError', 'token and current_alias name different devices.'))
        }
      },
      described({
        tag: 'Devices',
        summary: 'Add or update the alias of a device',
        description:
          'Name the device by `token`, by both `token` and `current_alias`, or, which needs the secret, by `current_alias` alone. `alias: ""` removes it.',
        idAlone: idAlone.alias,
        body: schema.SetAlias,
        example: { platform: '0', token: EXAMPLE_TOKEN, alias: 'front-desk' },
        answers: doneAnswer('Alias set'),
        failures: {
          401: NOT_PROVEN,
          404: NO_DEVICE_FOUND,
          409: 'MissingParameter; ConflictError: the alias belongs to another device.',
        },
      }),
    )
    .put(
      '/tag',
      async ({ body, application, withSecret, address, status }) => {
        if ('alias' in body.address) checkNaming('Alias', { application, withSecret, aliasesOpen })
        const call = { application, address }
        const max = bounds.boundsOf(call)
        const outcome = await commit(() => devices.addLabels(application.number, body.address, 'tag', body.tag, max))
        return status(201, labelled('Tagged', 'tag', outcome, bounds, call))
      },
      described({
        tag: 'Devices',
        summary: 'Tag a device',
        description:
          'Name the device by `token`, or, which needs the secret, by `Alias` alone. New tags that the application has no room for without its secret are left out, and `warnings` names them.',
        idAlone: idAlone.tag,
        body: schema.TagDevice,
        example: { platform: '0', token: EXAMPLE_TOKEN, tag: 'beta' },
        answers: { 201: { description: 'Tagged.', schema: schema.TAGGED } },
        failures: { 404: NO_DEVICE_FOUND, 409: 'MissingParameter' },
      }),
    )
    .put(
      '/tag/del',
      async ({ body, application, withSecret }) => {
        if ('alias' in body.address) checkNaming('Alias', { application, withSecret, aliasesOpen })
        found(await commit(() => devices.removeLabels(application.number, body.address, 'tag', body.tag)))
        return { message: 'Untagged' }
      },
      described({
        tag: 'Devices',
        summary: 'Untag a device',
        description:
          'Name the device by `token`, or, which needs the secret, by `Alias` alone. Also 200 where it does not have the tag.',
        idAlone: idAlone.untag,
        body: schema.TagDevice,
        example: { platform: '0', token: EXAMPLE_TOKEN, tag: 'beta' },
        answers: doneAnswer('Untagged'),
        failures: { 404: NO_DEVICE_FOUND, 409: 'MissingParameter' },
      }),
    )
    .put(
      '/geo',
      async ({ body, application }) => {
        found(await commit(() => devices.setLocation(application.number, body)))
        return { message: 'Location set' }
      },
      described({
        tag: 'Devices',
        summary: 'Set the location of a device',
        description:
          'In decimal degrees (WGS 84). Pushes select by it with `near` in `where`. `PUT /deviceToken` takes `lat` and `lng` too; this call is for an app that has moved since, and changes nothing else.',
        idAlone: ID_ALONE.move,
        body: schema.SetLocation,
        example: { platform: '0', token: EXAMPLE_TOKEN, lat: '52.52', lng: '13.405' },
        answers: doneAnswer('Location set'),
        failures: { 404: NO_DEVICE_FOUND, 409: 'MissingParameter' },
      }),
    )
    .put(
      '/badge',
      async ({ body, application }) => {
        const badge = { platform: body.platform, token: body.token, badge: body.setbadgecount }
        const device = await commit(() => {
          badgeSet(application.number, body.platform)
          return devices.setBadge(application.number, badge)
        })
        if (device === null) throw noDevice()
        return { message: 'Badge set' }
      },
      described({
        tag: 'Devices',
        summary: 'Set the badge count of a device',
        description:
          'Sets the count that relative badges (`"+1"`) continue from, as when the user has read something. Nothing is sent to the device: the app sets the number on its own icon.',
        idAlone: ID_ALONE.setBadge,
        body: schema.SetBadge,
        example: { platform: '0', token: EXAMPLE_TOKEN, setbadgecount: 3 },
        answers: doneAnswer('Badge set'),
        failures: { 404: NO_DEVICE_FOUND, 409: 'MissingParameter' },
      }),
    )
}

/** The application ID is public and aliases can be guessed. */
export function checkNaming(
  field: 'alias' | 'Alias' | 'current_alias',
  { aliasesOpen, ...call }: { application: Application; withSecret: boolean; aliasesOpen: boolean },
): void {
  if (call.withSecret || (aliasesOpen && !mustProveNames(call))) return
  const problem = `${field} without token needs X-SERVICE-SECRET, the secret of the application.`
  throw new Refused(failure('InvalidHeader', problem))
}

function aliasTaken(): Refused {
  return new Refused(failure('ConflictError', 'alias belongs to another device of the application.'))
}
