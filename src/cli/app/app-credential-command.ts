import { readApnsCertificate } from '../../application/apns-certificate.ts'
import { createCredentialStore } from '../../application/credential-store.ts'
import { providerOf, readApnsKey, readServiceAccount } from '../../application/credential.ts'
import type { ApnsCredential, FcmCredential } from '../../application/credential.ts'
import { factsOf } from '../../platform.ts'
import { readSecret } from '../../settings/parse.ts'
import type { Problems } from '../../settings/parse.ts'
import { escapeControls } from '../../text/escape-controls.ts'
import { done, FINE, problems } from '../command.ts'
import type { ApplicationWorld, CommandContext, CommandModule, CommandOutcome, ParsedArguments } from '../command.ts'
import { dataFlagOf } from '../data-directory.ts'
import { readGivenFile } from '../read-given-file.ts'
import { credentialText } from './app-text.ts'

export const apns: CommandModule<ApplicationWorld> = {
  check: ({ flags }) => readFiles(flags),

  async run({ flags }, world) {
    const wanted = readFiles(flags)
    if (wanted.kind === 'problems') return wanted
    return storeCredential(flags, world, readCredential(wanted, world))
  },
}

type Environment = ApnsCredential['environment']

interface KeyFile {
  readonly kind: 'key'
  readonly file: string
  readonly keyId: string
  readonly teamId: string
  readonly topic: string
  readonly environment: Environment
}

interface CertificateFile {
  readonly kind: 'certificate'
  readonly file: string
  /** `undefined`: from BELLHOP_CERTIFICATE_PASSWORD. */
  readonly password: string | undefined
  /** `undefined`: from the certificate. */
  readonly topic: string | undefined
  readonly environment: Environment
}

function readFiles(flags: ParsedArguments['flags']): KeyFile | CertificateFile | Problems {
  const key = flags.get('key')
  const certificate = flags.get('certificate')
  if (key !== undefined && certificate !== undefined) return problems("--key and --certificate can't be combined.")
  const topic = flags.get('topic')
  const environment = (flags.get('environment') ?? 'auto') as Environment

  if (key !== undefined) {
    if (flags.has('password')) return problems('--password belongs to --certificate: a .p8 file has none.')
    const given = { 'key-id': flags.get('key-id') ?? keyIdIn(key), 'team-id': flags.get('team-id'), topic }
    const { 'key-id': keyId, 'team-id': teamId } = given
    if (keyId === undefined || teamId === undefined || topic === undefined) {
      const missing = Object.entries(given).filter(([, value]) => value === undefined)
      return problems(`app apns with --key also needs ${missing.map(([name]) => `--${name}`).join(', ')}.`)
    }
    return { kind: 'key', file: key, keyId, teamId, topic, environment }
  }
  if (certificate === undefined) return problems('app apns needs --key FILE.p8 or --certificate FILE.')
  const stray = ['key-id', 'team-id'].find((name) => flags.has(name))
  if (stray !== undefined) return problems(`--${stray} belongs to --key: a certificate has none.`)
  return { kind: 'certificate', file: certificate, password: flags.get('password'), topic, environment }
}

/** Apple names key files `AuthKey_ABC123DEFG.p8`. */
function keyIdIn(path: string): string | undefined {
  return /(?:^|[/\\])AuthKey_([A-Z0-9]{10})\.p8$/.exec(path)?.[1]
}

function readCredential(wanted: KeyFile | CertificateFile, context: CommandContext): ApnsCredential | CommandOutcome {
  const { env, readFile, clock } = context
  const file = readGivenFile(wanted.file, context)
  if (file.kind !== 'read') return file
  if (wanted.kind === 'key') return readApnsKey({ ...wanted, p8: file.text })
  const password =
    wanted.password === undefined
      ? readSecret('BELLHOP_CERTIFICATE_PASSWORD', env, readFile)
      : { value: wanted.password }
  if ('problem' in password) return problems(`The password of the certificate: ${password.problem}.`)
  return readApnsCertificate({ ...wanted, bytes: file.bytes, password: password.value, now: clock.now() })
}

export const fcm: CommandModule<ApplicationWorld> = {
  check: ({ flags }) => (flags.has('service-account') ? FINE : problems('app fcm needs --service-account FILE.json.')),

  async run({ flags }, world) {
    const file = readGivenFile(flags.get('service-account') ?? '', world)
    return storeCredential(flags, world, file.kind === 'read' ? readServiceAccount(file.text) : file)
  },
}

function storeCredential(
  flags: ParsedArguments['flags'],
  { application, database, clock, sealingKey }: ApplicationWorld,
  credential: ApnsCredential | FcmCredential | CommandOutcome,
): CommandOutcome {
  if (!isCredential(credential)) return credential

  const sealing = database.transact(() => {
    const loaded = sealingKey()
    if (loaded.kind !== 'loaded') return loaded
    const credentials = createCredentialStore({ database, clock, key: loaded.key })
    credentials.put(application, credential)
    return { ...loaded, summaries: credentials.summaries(application) }
  })
  if (sealing.kind !== 'loaded') return sealing

  const { id, name, simulated } = application
  const provider = providerOf(credential)
  const stored = sealing.summaries
    .filter((summary) => summary.provider === provider)
    .map((summary) => `"${escapeControls(name)}" has ${factsOf(provider).credential}: ${credentialText(summary)}.`)
  const lines = [
    ...stored,
    ...(simulated ? [`It still uses the simulator: bellhop app simulate ${id} --off`] : []),
    ...sealing.notes,
    ...(simulated ? [] : [`Check it with: bellhop doctor ${id}${dataFlagOf(flags.get('data'))}`]),
  ]
  return done(`${lines.join('\n')}\n`)
}

function isCredential(read: ApnsCredential | FcmCredential | CommandOutcome): read is ApnsCredential | FcmCredential {
  return read.kind === 'key' || read.kind === 'certificate' || read.kind === 'service-account'
}
