import type { FieldType, MessageType } from './message-type.ts'

const each = (type: FieldType, names: string): Readonly<Record<string, FieldType>> =>
  Object.fromEntries(names.split(' ').map((name) => [name, type]))

const message = (messageName: string, fields: Readonly<Record<string, FieldType>>): MessageType => ({
  messageName,
  fields,
})

const enumOf = (enumName: string, prefix: string, names: string): FieldType => ({
  enumName,
  values: names.split(' ').map((name) => prefix + name),
})

const LIGHT_SETTINGS = message('LightSettings', {
  color: message('Color', each('double', 'red green blue alpha')),
  ...each('duration', 'light_on_duration light_off_duration'),
})

const ANDROID_NOTIFICATION = message('AndroidNotification', {
  ...each('string', 'title body icon color sound tag click_action channel_id ticker event_time image'),
  ...each('string', 'title_loc_key body_loc_key'),
  ...each({ listOf: 'string' }, 'title_loc_args body_loc_args'),
  ...each('bool', 'sticky local_only bypass_proxy_notification'),
  ...each('bool', 'default_sound default_vibrate_timings default_light_settings'),
  notification_count: 'int32',
  vibrate_timings: { listOf: 'duration' },
  light_settings: LIGHT_SETTINGS,
  notification_priority: enumOf(
    'AndroidNotification.NotificationPriority',
    'PRIORITY_',
    'UNSPECIFIED MIN LOW DEFAULT HIGH MAX',
  ),
  visibility: enumOf('AndroidNotification.Visibility', '', 'VISIBILITY_UNSPECIFIED PRIVATE PUBLIC SECRET'),
  proxy: enumOf('AndroidNotification.Proxy', '', 'PROXY_UNSPECIFIED ALLOW DENY IF_PRIORITY_LOWERED'),
})

/** FCM reference, "REST Resource: projects.messages". */
export const MESSAGE: FieldType = message('Message', {
  ...each('string', 'name token fid topic condition'),
  data: 'map',
  notification: message('Notification', each('string', 'title body image')),
  android: message('AndroidConfig', {
    ...each('string', 'collapse_key restricted_package_name'),
    ...each('bool', 'direct_boot_ok bandwidth_constrained_ok restricted_satellite_ok'),
    priority: enumOf('AndroidMessagePriority', '', 'NORMAL HIGH'),
    ttl: 'duration',
    data: 'map',
    notification: ANDROID_NOTIFICATION,
    fcm_options: message('AndroidFcmOptions', each('string', 'analytics_label')),
  }),
  webpush: message('WebpushConfig', {
    ...each('map', 'headers data'),
    notification: 'struct',
    fcm_options: message('WebpushFcmOptions', each('string', 'analytics_label link')),
  }),
  apns: message('ApnsConfig', {
    headers: 'map',
    payload: 'struct',
    fcm_options: message('ApnsFcmOptions', each('string', 'analytics_label image')),
    live_activity_token: 'string',
  }),
  fcm_options: message('FcmOptions', each('string', 'analytics_label')),
})
