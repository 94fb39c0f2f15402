import { COUNTS, identifier } from '../option-fields.ts'
import type { PushOption } from '../option.ts'

export const category: PushOption<string> = {
  field: identifier(
    `iOS only: the category (aps.category) that the app has registered with its actions. ${COUNTS}`,
    'ORDER',
  ),
  mayBeLong: true,
  input: { kind: 'line', label: 'Category', hint: 'iOS: its actions, as registered by your app.' },
  apns: 'aps.category',
}

export const thread: PushOption<string> = {
  field: identifier(`iOS only: notifications of the same thread are grouped (aps.thread-id). ${COUNTS}`, 'orders'),
  alsoCalled: 'threadId threadIdentifier',
  mayBeLong: true,
  input: { kind: 'line', label: 'Thread ID', hint: 'iOS: groups notifications.' },
  apns: 'aps.thread-id',
}

export const channel: PushOption<string> = {
  field: identifier(
    `Android only: the notification channel, which decides on sound and importance. ${COUNTS}`,
    'orders',
  ),
  alsoCalled: 'channelId androidChannelId',
  isShown: true,
  mayBeLong: true,
  input: { kind: 'line', label: 'Channel', hint: 'Android.' },
  fcm: 'android.notification.channel_id',
}
