import { isAppleId, isBundleId } from '../../application/apple-names.ts'
import { isVapidSubject, VAPID_SUBJECT } from '../../application/vapid.ts'
import { publicOrigin, serverAddress } from '../../settings/network-types.ts'
import { choice, duration } from '../../settings/setting-type.ts'
import { EVENT_TYPES } from '../../webhook/event.ts'
import { fileFlag, forceFlag, jsonFlag, switchFlag, typedFlag, valueFlag } from '../command.ts'
import type { CommandSpec, FlagSpec } from '../command.ts'
import { EXCLUSIVE_LIMIT_FLAGS, LIMIT_FLAGS } from './limit-flags.ts'

const ENVIRONMENT = choice('auto', 'production', 'sandbox')

const appleId: FlagSpec['type'] = {
  expected: '10 characters of A-Z and 0-9, as Apple shows it',
  read: (text) => (isAppleId(text) ? text : undefined),
}

const bundleId: FlagSpec['type'] = {
  expected: 'a bundle id, such as com.example.app',
  read: (text) => (isBundleId(text) ? text : undefined),
}

const vapidSubject: FlagSpec['type'] = {
  expected: VAPID_SUBJECT,
  read: (text) => (isVapidSubject(text) ? text : undefined),
}

export const APP_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'app create',
    words: ['NAME'],
    on: 'new data',
    summary: 'create an application and print its ID and secret',
    changes: { action: 'create application' },
    flags: [jsonFlag],
    examples: ['bellhop app create "Corner Shop"'],
    load: async () => (await import('./app-command.ts')).create,
  },
  {
    name: 'app list',
    words: [],
    on: 'data',
    summary: 'list applications',
    changes: null,
    flags: [jsonFlag],
    examples: ['bellhop app list'],
    load: () => import('./app-show-command.ts'),
  },
  {
    name: 'app show',
    words: ['APP'],
    on: 'application',
    summary: 'show an application with its limits and credentials (never their secrets)',
    changes: null,
    flags: [jsonFlag],
    examples: ['bellhop app show "Corner Shop"'],
    load: () => import('./app-show-command.ts'),
  },
  {
    name: 'app rotate-secret',
    words: ['APP'],
    on: 'application',
    summary: "rotate an application's secret, revoking the old one now or after an overlap",
    changes: { action: 'rotate secret' },
    flags: [
      typedFlag(
        'overlap',
        duration(0),
        'how long the old secret stays valid: 90s, 15m, 24h, 7d (default 0s: not at all)',
      ),
      jsonFlag,
    ],
    examples: ['bellhop app rotate-secret "Corner Shop"'],
    load: async () => (await import('./app-command.ts')).rotateSecret,
  },
  {
    name: 'app user-key',
    words: ['APP'],
    on: 'application',
    summary: 'create a user key (your backend signs user IDs with it); the previous key stays valid for a while',
    changes: { action: 'make user key' },
    flags: [
      typedFlag(
        'overlap',
        duration(0),
        'how long the previous key stays valid: 90s, 15m, 24h, 7d (default 30d; 0s: not at all)',
      ),
      jsonFlag,
    ],
    examples: ['bellhop app user-key "Corner Shop"'],
    load: async () => (await import('./app-command.ts')).userKey,
  },
  {
    name: 'app delete',
    words: ['APP'],
    on: 'application',
    summary: 'delete an application with its devices, pushes and credentials',
    changes: { action: 'delete application' },
    flags: [switchFlag('yes', 'confirm the deletion')],
    examples: ['bellhop app delete "Corner Shop" --yes'],
    load: () => import('./app-delete-command.ts'),
  },
  {
    name: 'app apns',
    words: ['APP'],
    on: 'application',
    summary: 'store the APNs credential: a signing key (.p8), or a certificate with its private key (.p12, .pem)',
    changes: { action: 'store credential' },
    flags: [
      fileFlag('key', 'the signing key from Apple; - reads standard input', 'FILE.p8'),
      valueFlag('key-id', 'K', 'the key ID, 10 characters (default: from the file name AuthKey_K.p8)', {
        type: appleId,
      }),
      valueFlag('team-id', 'T', 'your Apple team ID, 10 characters', { type: appleId }),
      fileFlag('certificate', 'a certificate with its private key, instead of --key'),
      valueFlag('password', 'P', 'of the certificate file (better: BELLHOP_CERTIFICATE_PASSWORD, or …_FILE)'),
      valueFlag('topic', 'BUNDLE', 'the bundle ID (a certificate usually contains it)', { type: bundleId }),
      typedFlag('environment', ENVIRONMENT, 'default auto: detected for each device'),
    ],
    examples: [
      'bellhop app apns "Corner Shop" --key AuthKey_ABC123DEFG.p8 --team-id DEF123GHIJ --topic com.example.shop',
    ],
    load: async () => (await import('./app-credential-command.ts')).apns,
  },
  {
    name: 'app fcm',
    words: ['APP'],
    on: 'application',
    summary: "store the FCM credential: a service account's key file",
    changes: { action: 'store credential' },
    flags: [fileFlag('service-account', 'the key file from Google Cloud; - reads standard input', 'FILE.json')],
    examples: ['bellhop app fcm "Corner Shop" --service-account service-account.json'],
    load: async () => (await import('./app-credential-command.ts')).fcm,
  },
  {
    name: 'app webpush',
    words: ['APP'],
    on: 'application',
    summary: 'create or import the VAPID key for web push, and print its public key',
    changes: { action: 'store credential' },
    flags: [
      valueFlag('subject', 'mailto:…|https://…', 'contact address for push services (required once)', {
        type: vapidSubject,
      }),
      fileFlag('key', "import another service's private key to keep its subscriptions; - reads standard input"),
      switchFlag('new', 'replace the key: every browser must subscribe again'),
      jsonFlag,
    ],
    examples: ['bellhop app webpush "Corner Shop" --subject mailto:push@shop.example'],
    load: () => import('./app-webpush-command.ts'),
  },
  {
    name: 'app webpush-key',
    words: ['APP', 'FILE'],
    on: 'application',
    summary:
      'export the VAPID key to a file (mode 600); browsers stay subscribed only if the new server uses the same key',
    changes: { action: 'export credential', evenWithoutRows: true },
    flags: [forceFlag],
    examples: ['bellhop app webpush-key "Corner Shop" vapid.json'],
    load: () => import('./app-webpush-key-command.ts'),
  },
  {
    name: 'app simulate',
    words: ['APP'],
    on: 'application',
    summary: 'deliver to the built-in simulator instead of real phones',
    changes: { action: 'simulate' },
    flags: [
      switchFlag('off', 'deliver to APNs, FCM and push services again'),
      switchFlag('yes', 'confirm for an application with devices, pushes or credentials for real phones'),
    ],
    examples: ['bellhop app simulate "Corner Shop"'],
    load: async () => (await import('./app-command.ts')).simulate,
  },
  {
    name: 'app webhook',
    words: ['APP'],
    on: 'application',
    summary: "set an application's webhook, or show it if no flag is given",
    changes: { action: 'set webhook', onlyWith: ['url', 'events', 'secret', 'remove'] },
    flags: [
      valueFlag('url', 'URL', 'address of the receiver: https (http for private addresses only)'),
      valueFlag('events', 'A,B', `which: ${EVENT_TYPES.join(', ')} (default: all but push.opened)`),
      valueFlag('secret', 'new|whsec_…', 'the signing secret (default: a new one the first time, then unchanged)'),
      switchFlag('remove', 'remove the webhook and drop waiting events'),
      jsonFlag,
    ],
    examples: ['bellhop app webhook "Corner Shop" --url https://shop.example/hooks --events push.finished,device.gone'],
    load: () => import('./app-webhook-command.ts'),
  },
  {
    name: 'app limits',
    words: ['APP'],
    on: 'application',
    summary: "show or set an application's rate limits, quota and safety settings (0 = unlimited)",
    changes: { action: 'change limits', onlyWith: LIMIT_FLAGS.map(({ name }) => name) },
    flags: [...LIMIT_FLAGS],
    exclusive: EXCLUSIVE_LIMIT_FLAGS,
    examples: ['bellhop app limits "Corner Shop" --quota 100000 --quota-period day'],
    load: async () => (await import('./app-command.ts')).limits,
  },
  {
    name: 'app move',
    words: ['APP'],
    on: 'data',
    summary: 'move an application to another server while calls go on, or show where it is if no flag is given',
    changes: { action: 'move application', onlyWith: ['to', 'finish'] },
    flags: [
      typedFlag('to', serverAddress, 'admin address of the other server, which has the same version'),
      fileFlag('to-token-file', 'file with a token for administering it (there: bellhop admin token)'),
      typedFlag('url', publicOrigin, 'where it answers calls (default: as it says itself)'),
      switchFlag('finish', 'end the forwarding, when all callers use the other server'),
    ],
    exclusive: [['to', 'finish']],
    examples: ['bellhop app move "Corner Shop" --to https://admin.push2.example --to-token-file token'],
    load: () => import('./app-move-command.ts'),
  },
]
