import { readApnsCertificate } from '../../application/apns-certificate.ts'
import { readApnsKey } from '../../application/credential.ts'
import type { ApnsCredential } from '../../application/credential.ts'
import { readSecret } from '../../settings/parse.ts'
import type { Problems } from '../../settings/parse.ts'
import { problems } from '../command.ts'
import type { CheckArguments, CommandContext, CommandOutcome, ParsedArguments, RunOnApplication } from '../command.ts'
import { readGivenFile } from '../read-given-file.ts'
import { storeCredential } from './store-credential.ts'

export const check: CheckArguments = ({ flags }) => readFiles(flags)

export const run: RunOnApplication = async ({ flags }, world) => {
  const wanted = readFiles(flags)
  if (wanted.kind === 'problems') return wanted
  return storeCredential(flags, world, readCredential(wanted, world))
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
  /** `undefined`: by BELLHOP_CERTIFICATE_PASSWORD, else none. */
  readonly password: string | undefined
  /** `undefined`: the certificate names it. */
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
