import { problem } from '../failure.ts'
import type { Problem } from '../failure.ts'
import { readSecret } from '../settings/parse.ts'
import type { ReadFile } from '../system/read-file.ts'

export interface BucketAccess {
  readonly kind: 'access'
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken: string | null
  /** `null`: the client's default, `us-east-1` for Amazon. */
  readonly region: string | null
  readonly endpoint: string | null
}

/**
 * From the usual variables: `AWS_ACCESS_KEY_ID` and so on, or with `S3_`, which take precedence. The secret ones may
 * also come from a file, as `AWS_SECRET_ACCESS_KEY_FILE`.
 */
export function bucketAccess(
  env: Readonly<Record<string, string | undefined>>,
  readFile: ReadFile,
): BucketAccess | Problem {
  const problems: string[] = []
  function secret(name: string): string | null {
    for (const variable of [`S3_${name}`, `AWS_${name}`]) {
      const found = readSecret(variable, env, readFile)
      if ('problem' in found) problems.push(`${variable}: ${found.problem}.`)
      else if (found.value !== undefined) return found.value.trim()
    }
    return null
  }
  const set = (...names: readonly string[]) => names.find((name) => (env[name] ?? '').trim() !== '')
  const plain = (variable: string | undefined) => (variable === undefined ? null : (env[variable]?.trim() ?? null))

  const accessKeyId = secret('ACCESS_KEY_ID')
  const secretAccessKey = secret('SECRET_ACCESS_KEY')
  const sessionToken = secret('SESSION_TOKEN')
  const addressedBy = set('S3_ENDPOINT', 'AWS_ENDPOINT_URL_S3', 'AWS_ENDPOINT_URL', 'AWS_ENDPOINT')
  const endpoint = plain(addressedBy)
  const region = plain(set('S3_REGION', 'AWS_REGION', 'AWS_DEFAULT_REGION'))
  if (problems.length > 0) return problem(problems.join(' '))
  if (accessKeyId === null || secretAccessKey === null) {
    return problem(
      `There are no credentials for the bucket: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and for other services than Amazon's AWS_ENDPOINT_URL_S3.`,
    )
  }
  if (endpoint !== null && !/^https?:$/.test(URL.parse(endpoint)?.protocol ?? '')) {
    const named = `"${endpoint}" is not the address of an S3 service`
    return problem(`${addressedBy}: ${named}, such as https://s3.eu-central-1.amazonaws.com.`)
  }
  return { kind: 'access', accessKeyId, secretAccessKey, sessionToken, region, endpoint }
}
