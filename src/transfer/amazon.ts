import { isJsonObject } from '../text/json-object.ts'
import { isIphone } from './firebase.ts'
import { platformOf, refused, statedOf, textOf } from './record.ts'
import type { FileRecord, Format } from './record.ts'

/** Amazon's names, in SNS and in Pinpoint. */
const AMAZON_SERVICES: ReadonlyMap<string, { readonly platform: 0 | 1; readonly environment?: string }> = new Map(
  Object.entries({
    APNS: { platform: 0, environment: 'production' },
    APNS_SANDBOX: { platform: 0, environment: 'sandbox' },
    GCM: { platform: 1 },
    FCM: { platform: 1 },
  }),
)

/**
 * `aws sns list-endpoints-by-platform-application` (docs.aws.amazon.com/sns/latest/api, Endpoint). Attributes are
 * strings; the ARN names the platform.
 */
export const sns: Format = {
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

/**
 * Endpoints that a Pinpoint export job wrote to S3, one object each
 * (docs.aws.amazon.com/pinpoint/latest/apireference/apps-application-id-endpoints-endpoint-id.html, EndpointResponse).
 */
export const pinpoint: Format = {
  title: 'the endpoints of Amazon Pinpoint',
  names: {
    token: 'Address',
    platform: 'ChannelType',
    user: 'User.UserId',
    alias: 'User.UserId',
    tag: 'Attributes',
    lat: 'Location.Latitude',
    lng: 'Location.Longitude',
    timezone: 'Demographic.Timezone',
    locale: 'Demographic.Locale',
    app_version: 'Demographic.AppVersion',
    registered_at: 'CreationDate',
    seen_at: 'EffectiveDate',
  },

  read(record) {
    if (!isJsonObject(record)) return [refused('Address', 'is not an object')]
    const channel = textOf(record['ChannelType']) ?? ''
    const known = AMAZON_SERVICES.get(channel)
    if (known === undefined) {
      const what = channel === '' ? 'is empty' : `is ${channel}`
      return [refused('ChannelType', `${what}: only APNS, APNS_SANDBOX and GCM can be sent to`)]
    }
    if (textOf(record['OptOut']) === 'ALL') return [refused('OptOut', 'is ALL: this user wants no messages')]
    if (textOf(record['EndpointStatus']) === 'INACTIVE') {
      return [refused('EndpointStatus', 'is INACTIVE: Pinpoint does not send to this endpoint')]
    }
    const user = objectIn(record, 'User')
    const place = objectIn(record, 'Location')
    const phone = objectIn(record, 'Demographic')
    const id = textOf(user['UserId'])
    const said = platformOf(textOf(phone['Platform']) ?? '')
    return [
      {
        kind: 'device',
        stated: {
          token: statedOf(record['Address']),
          ...known,
          alias: id,
          user: id,
          tag: tagsOf(objectIn(record, 'Attributes'), objectIn(user, 'UserAttributes')),
          lat: statedOf(place['Latitude']),
          lng: statedOf(place['Longitude']),
          timezone: textOf(phone['Timezone']),
          locale: textOf(phone['Locale']),
          app_version: textOf(phone['AppVersion']),
          fcm_platform: isIphone(said) && !isIphone(known.platform) ? 'ios' : undefined,
          registered_at: statedOf(record['CreationDate']),
          seen_at: statedOf(record['EffectiveDate']),
        },
      },
    ]
  },
}

function objectIn(record: FileRecord, name: string): FileRecord {
  const value = record[name]
  return isJsonObject(value) ? value : {}
}

/** `{"Interests": ["Science", "Music"]}` becomes `Interests:Science` and `Interests:Music`. */
function tagsOf(...attributes: readonly FileRecord[]): readonly string[] | undefined {
  const tags = attributes.flatMap((each) =>
    Object.entries(each).flatMap(([name, values]) => [values].flat().map((value) => `${name}:${textOf(value) ?? ''}`)),
  )
  return tags.length === 0 ? undefined : [...new Set(tags)]
}
