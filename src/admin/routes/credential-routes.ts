import { Elysia } from 'elysia'
import type { Application } from '../../application/application.ts'
import type { CredentialStore } from '../../application/credential-store.ts'
import { readApnsKey, readServiceAccount } from '../../application/credential.ts'
import type { Credential } from '../../application/credential.ts'
import { isVapidSubject, nextVapid } from '../../application/vapid.ts'
import { failure, Refused } from '../../failure.ts'
import type { Problem } from '../../failure.ts'
import { invalid, missing } from '../../http/fields.ts'
import { adminCall } from '../admin-endpoint.ts'
import { ApplicationAnswer } from '../api-types/application-types.ts'
import { CredentialTestAnswer } from '../api-types/credential-types.ts'
import { known } from '../administrator.ts'
import type { Change } from '../audited-calls.ts'
import { applicationNamed } from '../application-fields.ts'
import { ApnsFiles, FcmFile, VapidFields } from '../application-schema.ts'
import type { ApplicationView } from '../view/application-view.ts'
import type { ProviderName } from '../../platform.ts'
import { PROVIDERS } from '../../platform.ts'
import { either } from '../../text/format.ts'
import type { AdminParts } from './admin-parts.ts'

interface Dependencies extends AdminParts {
  readonly view: ApplicationView
  readonly credentials: CredentialStore
  readonly test: (application: Application, credential: Credential) => Promise<CredentialTestAnswer['findings']>
}

export function credentialRoutes(deps: Dependencies) {
  const { gate, clock, commit, directory, view, log, credentials, test } = deps

  async function store(change: Change, id: string, credential: Credential) {
    const application = applicationNamed(directory, id)
    const { kind } = credential
    await change(application.id, () => credentials.put(application, credential), { kind })
    directory.reload()
    return view.whole(application)
  }

  return new Elysia({ name: 'credential-routes' })
    .use(gate)
    .put(
      '/api/applications/:id/credentials/apns',
      async ({ change, params, body }) => {
        applicationNamed(directory, params.id)
        const { key, keyId, teamId, certificate, password, topic, environment = 'auto' } = body
        if (key !== undefined) {
          if (certificate !== undefined) throw invalid('certificate', "can't be combined with key")
          if (keyId === undefined) throw missing('keyId')
          if (teamId === undefined) throw missing('teamId')
          if (topic === undefined) throw missing('topic')
          const read = readApnsKey({ p8: key, keyId, teamId, topic, environment })
          return store(change, params.id, readable('key', read))
        }
        if (certificate === undefined) throw missing('key or certificate')
        const { readApnsCertificate } = await import('../../application/apns-certificate.ts')
        const read = readApnsCertificate({ bytes: certificate, password, topic, environment, now: clock.now() })
        return store(change, params.id, readable('certificate', read))
      },
      adminCall('Applications', 'Store the key or certificate for APNs', {
        action: 'store credential',
        answer: ApplicationAnswer,
        body: ApnsFiles,
      }),
    )
    .put(
      '/api/applications/:id/credentials/fcm',
      ({ change, params, body: { serviceAccount } }) => {
        applicationNamed(directory, params.id)
        return store(change, params.id, readable('serviceAccount', readServiceAccount(serviceAccount)))
      },
      adminCall('Applications', 'Store the service account for FCM', {
        action: 'store credential',
        answer: ApplicationAnswer,
        body: FcmFile,
      }),
    )
    .put(
      '/api/applications/:id/credentials/webpush',
      ({ change, params, body: { subject, key, new: isNew = false } }) => {
        const application = applicationNamed(directory, params.id)
        if (isNew && key !== undefined) throw invalid('new', "can't be combined with key")
        const before = credentials.credentialOf(application, 'webpush')
        const next = nextVapid(before, { subject, key, isNew })
        if (next === null) throw missing('subject')
        const credential = readable(isVapidSubject(subject ?? before?.subject ?? '') ? 'key' : 'subject', next)
        // Storing it would close connections.
        if (JSON.stringify(credential) === JSON.stringify(before)) return view.whole(application)
        return store(change, params.id, credential)
      },
      adminCall('Applications', 'Create or import the VAPID key for web push, or change its subject', {
        action: 'store credential',
        answer: ApplicationAnswer,
        body: VapidFields,
      }),
    )
    .delete(
      '/api/applications/:id/credentials/:provider',
      async ({ change, params }) => {
        const application = applicationNamed(directory, params.id)
        const provider = providerIn(params.provider)
        const removed = await change(application.id, () => credentials.remove(application, provider), { provider })
        if (!removed) throw noCredential()
        directory.reload()
        return view.whole(application)
      },
      adminCall('Applications', `Remove a credential: ${either(PROVIDERS)}`, {
        action: 'remove credential',
        answer: ApplicationAnswer,
      }),
    )
    .post(
      '/api/applications/:id/credentials/:provider/test',
      async ({ actor, params }): Promise<CredentialTestAnswer> => {
        const by = known(actor)
        const application = applicationNamed(directory, params.id)
        const provider = providerIn(params.provider)
        const credential = credentials.credentialOf(application, provider)
        if (credential === null) throw noCredential()
        await commit(() => log.add(by, 'test credential', application.id, { provider }))
        return { findings: await test(application, credential) }
      },
      adminCall('Applications', 'Check a credential with its gateway, as bellhop doctor does', {
        action: 'test credential',
        answer: CredentialTestAnswer,
      }),
    )
}

function providerIn(text: string): ProviderName {
  const known = PROVIDERS.find((one) => one === text)
  if (known !== undefined) return known
  throw new Refused(failure('ResourceNotFound', `A credential is of ${either(PROVIDERS)}`))
}

function readable<T extends object>(field: string, read: T | Problem): T {
  if ('problem' in read) throw new Refused(failure('InvalidArgument', `${field}: ${read.problem}`))
  return read
}

function noCredential(): Refused {
  return new Refused(failure('ResourceNotFound', 'No credential found'))
}
