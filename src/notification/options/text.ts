import { COUNTS, textField } from '../option-fields.ts'
import type { PushOption } from '../option.ts'

export const msg: PushOption<string> = {
  field: textField(
    'Notification message. With all that is sent beside it at most 4096 bytes, as rendered for each gateway.',
  ),
  alsoCalled: 'message messages body text alert content contents notification',
  isShown: true,
  isEnough: true,
  input: { kind: 'lines', label: 'Message', among: 'text' },
  apns: 'aps.alert.body',
  fcm: 'notification.body',
  webPush: 'body',
}

export const title: PushOption<string> = {
  field: textField(`The line above the message. ${COUNTS}`, 'On its way'),
  alsoCalled: 'heading headings subject',
  isShown: true,
  isEnough: true,
  mayBeLong: true,
  flag: { placeholder: 'TEXT', doc: 'the line above the message' },
  input: { kind: 'line', label: 'Title', among: 'text' },
  apns: 'aps.alert.title',
  fcm: 'notification.title',
  webPush: 'title',
}

export const subtitle: PushOption<string> = {
  field: textField(`iOS only: the line between title and message. Needs \`msg\` or \`title\`. ${COUNTS}`, 'Order 17'),
  isShown: true,
  needsText: true,
  mayBeLong: true,
  flag: { placeholder: 'TEXT', doc: 'the line between them (iOS)' },
  input: { kind: 'line', label: 'Subtitle', hint: 'iOS.', among: 'folded-text' },
  apns: 'aps.alert.subtitle',
}
