import { isJsonObject } from '../text/json-object.ts'
import { refused, statedOf, textOf } from './record.ts'
import type { Format } from './record.ts'

/**
 * `aws sns list-endpoints-by-platform-application` (docs.aws.amazon.com/sns/latest/api, Endpoint): attributes are strings,
 * and the ARN names the platform.
 */
export const sns: Format = {
  name: 'sns',
  title: 'the endpoints of Amazon SNS',
  names: { token: 'Token', platform: 'EndpointArn' },

  read(record) {
    if (!isJsonObject(record)) return [refused('EndpointArn', 'is not an object')]
    const arn = textOf(record['EndpointArn']) ?? ''
    // arn:aws:sns:REGION:ACCOUNT:endpoint/APNS_SANDBOX/APPLICATION/UUID
    const service = /^arn:[^:]*:sns:[^:]*:[^:]*:endpoint\/([^/]+)\//.exec(arn)?.[1]
    const known = service === undefined ? undefined : AMAZON_SERVICES.get(service)
    if (known === undefined) {
      const what = service === undefined ? 'is no ARN of an endpoint' : `is of ${service}`
      return [refused('EndpointArn', `${what}: only APNS, APNS_SANDBOX and GCM can be sent to`)]
    }
    const attributes = isJsonObject(record['Attributes']) ? record['Attributes'] : {}
    if (textOf(attributes['Enabled'])?.toLowerCase() === 'false') {
      return [refused('Enabled', 'is false: SNS has disabled this endpoint, which it does when its token is dead')]
    }
    return [{ kind: 'device', stated: { token: statedOf(attributes['Token']), ...known } }]
  },
}

/** What Amazon calls the services of Apple and Google, in SNS and in Pinpoint. */
export const AMAZON_SERVICES: ReadonlyMap<string, { readonly platform: 0 | 1; readonly environment?: string }> =
  new Map(
    Object.entries({
      APNS: { platform: 0, environment: 'production' },
      APNS_SANDBOX: { platform: 0, environment: 'sandbox' },
      GCM: { platform: 1 },
      FCM: { platform: 1 },
    }),
  )
