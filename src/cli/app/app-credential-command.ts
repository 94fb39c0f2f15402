import type { Application } from '../../application/application.ts'
import { createCredentialStore } from '../../application/credential-store.ts'
import type { CredentialSummary } from '../../application/credential-store.ts'
import { readApnsCertificate, readApnsKey, readServiceAccount } from '../../application/credential.ts'
import type { ApnsCredential, FcmCredential } from '../../application/credential.ts'
import { problem } from '../../failure.ts'
import type { Problem } from '../../failure.ts'
import { readSecret } from '../../settings/parse.ts'
import type { Problems } from '../../settings/parse.ts'
import type { ReadFile } from '../../system/read-file.ts'
import { escapeControls } from '../../text/escape-controls.ts'
import { openSealingKey } from '../backup/open-sealing-key.ts'
import type { SealingContext } from '../backup/open-sealing-key.ts'
import type { AppCommand } from './app-arguments.ts'
import { NAMES, credentialText, dataFlagOf } from './app-text.ts'

type CredentialCommand = Extract<AppCommand, { kind: 'app apns' | 'app fcm' }>

/** Checks a credential, seals and stores it; answers with what it now is. */
export function putCredential(
  command: CredentialCommand,
  application: Application,
  context: SealingContext,
): { readonly kind: 'done'; readonly text: string } | Problem | Problems {
  const { env, readFile, clock, database } = context
  const credential =
    command.kind === 'app apns'
      ? readApns(command.credential, { env, readFile, now: clock.now() })
      : readFcm(command.file, readFile)
  if (credential.kind === 'problem') return credential

  const sealing = database.transact(() => {
    const opened = openSealingKey(context)
    if (opened.kind !== 'loaded') return opened
    const credentials = createCredentialStore({ database, clock, key: opened.key })
    credentials.put(application, credential)
    return { ...opened, summaries: credentials.summaries(application) }
  })
  if (sealing.kind !== 'loaded') return sealing

  const provider = credential.kind === 'service-account' ? 'fcm' : 'apns'
  const stored = sealing.summaries.find((summary) => summary.provider === provider)
  const lines = [
    ...(stored === undefined ? [] : [storedLine(application, stored)]),
    ...(application.simulated ? [`It still sends to the simulator: bellhop app simulate ${application.id} --off`] : []),
    ...sealing.notes,
    ...(application.simulated
      ? []
      : [`Now see whether it is good: bellhop doctor ${application.id}${dataFlagOf(command.data)}`]),
  ]
  return { kind: 'done', text: `${lines.join('\n')}\n` }
}

function storedLine({ name }: Application, summary: CredentialSummary): string {
  return `"${escapeControls(name)}" has an ${NAMES[summary.provider]} credential: ${credentialText(summary)}.`
}

function readApns(
  given: Extract<CredentialCommand, { kind: 'app apns' }>['credential'],
  { env, readFile, now }: Pick<SealingContext, 'env' | 'readFile'> & { readonly now: number },
): ApnsCredential | Problem {
  const file = readFile(sourceOf(given.file))
  if (file.kind === 'problem') return problem(`The file ${given.file} ${file.problem}.`)
  if (given.kind === 'key') return readApnsKey({ ...given, p8: textOf(file.bytes) })

  const password =
    given.password === null ? readSecret('BELLHOP_CERTIFICATE_PASSWORD', env, readFile) : { value: given.password }
  if ('problem' in password) return problem(`The password of the certificate: ${password.problem}.`)
  const { topic, environment } = given
  return readApnsCertificate({
    bytes: file.bytes,
    password: password.value,
    topic: topic ?? undefined,
    environment,
    now,
  })
}

function readFcm(path: string, readFile: ReadFile): FcmCredential | Problem {
  const file = readFile(sourceOf(path))
  return file.kind === 'problem' ? problem(`The file ${path} ${file.problem}.`) : readServiceAccount(textOf(file.bytes))
}

/** `-` is what is handed in, as to a container that sees no files of its host. */
function sourceOf(path: string): string {
  return path === '-' ? '/dev/stdin' : path
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}
