import { codeOf } from '../text/error-code.ts'

/** The sentence for an error of the S3 client. */
export function bucketProblem(error: unknown, bucket: string, service: string): string {
  const code = codeOf(error) ?? ''
  const said = error instanceof Error ? error.message.replace(/\.$/, '') : String(error)
  const reason = REASONS[code] ?? UNREACHABLE[code]
  if (code in UNREACHABLE) return `${service} cannot be reached: ${reason}.`
  if (reason !== undefined) return `${service} refuses the bucket "${bucket}": ${reason} (${code}).`
  // A proxy may answer with a whole page.
  return `${service} failed on the bucket "${bucket}": ${said.replaceAll(/\s+/g, ' ').slice(0, 200)} (${code}).`
}

/** As Amazon names them (S3 API reference, "Error responses"). */
const REASONS: Readonly<Record<string, string>> = {
  NoSuchBucket: 'there is no bucket with this name',
  AccessDenied: 'these credentials may not list, read, write and delete there',
  AllAccessDisabled: 'it is not readable',
  InvalidAccessKeyId: 'it does not know AWS_ACCESS_KEY_ID',
  SignatureDoesNotMatch: 'AWS_SECRET_ACCESS_KEY does not belong to AWS_ACCESS_KEY_ID',
  ExpiredToken: 'AWS_SESSION_TOKEN has expired',
  InvalidToken: 'AWS_SESSION_TOKEN is not valid',
  RequestTimeTooSkewed: 'the clock of this machine is wrong',
  PermanentRedirect: 'it is in another region: set AWS_REGION',
  AuthorizationHeaderMalformed: 'it is in another region: set AWS_REGION',
  IllegalLocationConstraintException: 'it is in another region: set AWS_REGION',
  NoSuchKey: 'there is no such backup in it',
  QuotaExceeded: 'it is full',
  EntityTooLarge: 'the backup is larger than it takes',
}

const UNREACHABLE: Readonly<Record<string, string>> = {
  ConnectionRefused: 'nothing listens there',
  ConnectionClosed: 'the connection was closed',
  ECONNRESET: 'the connection was closed',
  DNSResolveFailed: 'its name is not known',
  FailedToOpenSocket: 'could not connect',
  Timeout: 'it does not answer',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is not trusted (NODE_EXTRA_CA_CERTS may name a file with one that is)',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not trusted (NODE_EXTRA_CA_CERTS may name a file with one that is)',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'its certificate is not trusted (NODE_EXTRA_CA_CERTS may name a file with one that is)',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
}
