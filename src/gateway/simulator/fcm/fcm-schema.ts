import { MESSAGE } from '../../../notification/message-schema.ts'
import type { FieldType } from '../../../notification/message-type.ts'

/** The body of `messages:send` (FCM reference, "Method: projects.messages.send"). */
export const SEND_REQUEST: FieldType = {
  messageName: 'SendMessageRequest',
  fields: { validate_only: 'bool', message: MESSAGE },
}
