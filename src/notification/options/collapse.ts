import { invalid, show } from '../../http/fields.ts'
import type { PushOption } from '../option.ts'

/** Apple, "Sending notification requests to APNs": "must not exceed 64 bytes". It is a header, so ASCII. */
const COLLAPSE = /^[\x21-\x7e](?:[\x20-\x7e]{0,62}[\x21-\x7e])?$/

/** In headers. Default: the push's own id. */
export const collapse: PushOption<string> = {
  field: {
    schema: {
      type: 'string',
      maxLength: 64,
      description:
        'A collapse ID. A newer push with the same ID replaces one that the phone still shows: apns-collapse-id, and the `tag` of the Android notification. Where nothing is shown, FCM gets it as collapse_key, of which a device keeps four. At most 64 bytes of printable ASCII.',
      example: 'order-17',
    },
    emptyIsAbsent: true,
    read(value, name) {
      if (typeof value !== 'string') throw invalid(name, `must be a string, not ${show(value)}`)
      if (!COLLAPSE.test(value)) {
        throw invalid(name, 'must be at most 64 bytes of printable ASCII, without spaces around it')
      }
      return value
    },
  },
  alsoCalled: 'collapseId collapseKey collapseIdentifier apnsCollapseId',
  flag: { placeholder: 'NAME', doc: 'replaces an earlier push with the same name' },
  input: { kind: 'line', label: 'Collapse ID', hint: 'Replaces an earlier push with the same ID: order-17' },
}
