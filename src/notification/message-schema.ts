import type { FieldType } from './message-type.ts'

const optionsWith = (messageName: string, ...names: readonly string[]): FieldType => ({
  messageName,
  fields: Object.fromEntries(['analytics_label', ...names].map((name) => [name, 'string' as const])),
})

const LIGHT_SETTINGS: FieldType = {
  messageName: 'LightSettings',
  fields: {
    color: { messageName: 'Color', fields: { red: 'double', green: 'double', blue: 'double', alpha: 'double' } },
    light_on_duration: 'duration',
    light_off_duration: 'duration',
  },
}

const ANDROID_NOTIFICATION: FieldType = {
  messageName: 'AndroidNotification',
  fields: {
    title: 'string',
    body: 'string',
    icon: 'string',
    color: 'string',
    sound: 'string',
    tag: 'string',
    click_action: 'string',
    body_loc_key: 'string',
    body_loc_args: { listOf: 'string' },
    title_loc_key: 'string',
    title_loc_args: { listOf: 'string' },
    channel_id: 'string',
    ticker: 'string',
    sticky: 'bool',
    event_time: 'string',
    local_only: 'bool',
    notification_priority: {
      enumName: 'AndroidNotification.NotificationPriority',
      values: ['UNSPECIFIED', 'MIN', 'LOW', 'DEFAULT', 'HIGH', 'MAX'].map((name) => `PRIORITY_${name}`),
    },
    default_sound: 'bool',
    default_vibrate_timings: 'bool',
    default_light_settings: 'bool',
    vibrate_timings: { listOf: 'duration' },
    visibility: {
      enumName: 'AndroidNotification.Visibility',
      values: ['VISIBILITY_UNSPECIFIED', 'PRIVATE', 'PUBLIC', 'SECRET'],
    },
    notification_count: 'int32',
    light_settings: LIGHT_SETTINGS,
    image: 'string',
    bypass_proxy_notification: 'bool',
    proxy: {
      enumName: 'AndroidNotification.Proxy',
      values: ['PROXY_UNSPECIFIED', 'ALLOW', 'DENY', 'IF_PRIORITY_LOWERED'],
    },
  },
}

/** What a message may say (FCM reference, "REST Resource: projects.messages"). */
export const MESSAGE: FieldType = {
  messageName: 'Message',
  fields: {
    name: 'string',
    data: 'map',
    notification: { messageName: 'Notification', fields: { title: 'string', body: 'string', image: 'string' } },
    android: {
      messageName: 'AndroidConfig',
      fields: {
        collapse_key: 'string',
        priority: { enumName: 'AndroidMessagePriority', values: ['NORMAL', 'HIGH'] },
        ttl: 'duration',
        restricted_package_name: 'string',
        data: 'map',
        notification: ANDROID_NOTIFICATION,
        fcm_options: optionsWith('AndroidFcmOptions'),
        direct_boot_ok: 'bool',
        bandwidth_constrained_ok: 'bool',
        restricted_satellite_ok: 'bool',
      },
    },
    webpush: {
      messageName: 'WebpushConfig',
      fields: {
        headers: 'map',
        data: 'map',
        notification: 'struct',
        fcm_options: optionsWith('WebpushFcmOptions', 'link'),
      },
    },
    apns: {
      messageName: 'ApnsConfig',
      fields: {
        headers: 'map',
        payload: 'struct',
        fcm_options: optionsWith('ApnsFcmOptions', 'image'),
        live_activity_token: 'string',
      },
    },
    fcm_options: optionsWith('FcmOptions'),
    token: 'string',
    fid: 'string',
    topic: 'string',
    condition: 'string',
  },
}
