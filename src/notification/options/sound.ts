import { COUNTS, textField } from '../option-fields.ts'
import type { PushOption } from '../option.ts'

const name = textField(`Notification sound; "" is silent. ${COUNTS}`)

export const sound: PushOption<string> = {
  // "" is present: a broadcast must say whether it is heard.
  field: { ...name, emptyIsAbsent: false, read: (value, field) => name.read(value, field) || null },
  isShown: true,
  isEnough: true,
  flag: { placeholder: 'NAME', doc: 'sound to play; none: silent (default: default)' },
  input: { kind: 'line', label: 'Sound', hint: 'Leave empty for no sound.', initial: 'default' },
  apns: 'aps.sound',
  fcm: 'android.notification.sound',
}
