import { COUNTS, url } from '../option-fields.ts'
import type { PushOption } from '../option.ts'

/** Apple has no key for a picture: the app's notification service extension finds it beside `aps`. */
export const image: PushOption<string> = {
  field: url(/^https:$/, 'an https URL', {
    description: `An https URL. Android shows it. For iOS it is \`image\` beside \`aps\`, with mutable-content: 1, for the app's notification service extension to fetch. Needs \`msg\` or \`title\`. ${COUNTS}`,
  }),
  alsoCalled: 'imageUrl picture bigPicture attachment',
  isShown: true,
  needsText: true,
  isBesidePayload: true,
  mayBeLong: true,
  flag: { placeholder: 'URL', doc: 'picture to show' },
  input: { kind: 'line', label: 'Picture', hint: 'Its URL. Not loaded in this preview.', among: 'folded-text' },
  apns(image, { aps, '': beside }) {
    aps['mutable-content'] = 1
    beside['image'] = image
  },
  fcm: 'notification.image',
  webPush: 'image',
}

/** A browser opens it, the app may. */
export const link: PushOption<string> = {
  field: url(/:$/, "a URL with its scheme, such as https: or the app's own", {
    // RFC 3986, 3.1, and what reading refuses.
    pattern: '^[A-Za-z][A-Za-z0-9+.-]*:[^\\s\\u0000-\\u001f\\u007f-\\u009f]*$',
    description: `A URL for the app to open, of any scheme: \`link\` beside \`aps\` for APNs, and in \`data\` for FCM. ${COUNTS}`,
    example: 'shop:orders/17',
  }),
  alsoCalled: 'url deepLink clickAction navigate',
  isEnough: true,
  isBesidePayload: true,
  mayBeLong: true,
  flag: { placeholder: 'URL', doc: 'URL for the app to open' },
  input: { kind: 'line', label: 'Link', hint: 'Opened by your app: shop://orders/17', among: 'folded-text' },
  apns: 'link',
  fcm: 'data.link',
  webPush: 'navigate',
}
