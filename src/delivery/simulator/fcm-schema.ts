import { MESSAGE } from '../fcm/message-schema.ts'
import type { FieldType } from '../fcm/message-type.ts'

/** The body of `messages:send` (FCM reference, "Method: projects.messages.send"). */
export const SEND_REQUEST: FieldType = {
  messageName: 'SendMessageRequest',
  fields: { validate_only: 'bool', message: MESSAGE },
}
