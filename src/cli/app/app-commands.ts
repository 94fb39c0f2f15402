import { EVENT_TYPES } from '../../webhook/event.ts'
import { dataFlag, jsonFlag } from '../command.ts'
import type { CommandSpec } from '../command.ts'

/** The applications of a data directory. */
export const APP_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'app create',
    words: ['NAME'],
    summary: 'add an application and print its id and secret',
    flags: [jsonFlag, dataFlag],
    example: 'bellhop app create "Corner Shop"',
  },
  {
    name: 'app list',
    words: [],
    summary: 'list the applications',
    flags: [jsonFlag, dataFlag],
    example: 'bellhop app list',
  },
  {
    name: 'app show',
    words: ['APP'],
    summary: 'show an application, its limits and its credentials (never their secrets)',
    flags: [jsonFlag, dataFlag],
    example: 'bellhop app show "Corner Shop"',
  },
  {
    name: 'app rotate-secret',
    words: ['APP'],
    summary: 'give an application a new secret; the old one ends at once',
    flags: [jsonFlag, dataFlag],
    example: 'bellhop app rotate-secret "Corner Shop"',
  },
  {
    name: 'app delete',
    words: ['APP'],
    summary: 'erase an application with its devices, pushes and credentials',
    flags: [{ name: 'yes', placeholder: null, doc: 'yes, erase it' }, dataFlag],
    example: 'bellhop app delete "Corner Shop" --yes',
  },
  {
    name: 'app apns',
    words: ['APP'],
    summary: 'store the APNs credential: a signing key (.p8), or a certificate with its key (.p12, .pem)',
    flags: [
      { name: 'key', placeholder: 'FILE.p8', doc: 'the signing key from Apple; - reads it from standard input' },
      { name: 'key-id', placeholder: 'K', doc: 'its id, 10 characters (default: as in the name AuthKey_K.p8)' },
      { name: 'team-id', placeholder: 'T', doc: 'the id of the team at Apple, 10 characters' },
      { name: 'certificate', placeholder: 'FILE', doc: 'instead of the key: a certificate with its private key' },
      {
        name: 'password',
        placeholder: 'P',
        doc: 'of the certificate file (better: BELLHOP_CERTIFICATE_PASSWORD, or …_FILE)',
      },
      { name: 'topic', placeholder: 'BUNDLE', doc: 'the bundle id; a certificate usually names it itself' },
      { name: 'environment', placeholder: 'auto|production|sandbox', doc: 'default auto: what each device needs' },
      dataFlag,
    ],
    example: 'bellhop app apns "Corner Shop" --key AuthKey_ABC123DEFG.p8 --team-id DEF123GHIJ --topic com.example.shop',
  },
  {
    name: 'app fcm',
    words: ['APP'],
    summary: 'store the FCM credential: the key file of a service account',
    flags: [
      {
        name: 'service-account',
        placeholder: 'FILE.json',
        doc: 'the key file from Google Cloud; - reads it from standard input',
      },
      dataFlag,
    ],
    example: 'bellhop app fcm "Corner Shop" --service-account service-account.json',
  },
  {
    name: 'app simulate',
    words: ['APP'],
    summary: 'send both platforms to the built-in simulator, where no phone is reached',
    flags: [
      { name: 'off', placeholder: null, doc: 'send to APNs and FCM again' },
      { name: 'yes', placeholder: null, doc: 'also where it has devices, pushes or credentials for real phones' },
      dataFlag,
    ],
    example: 'bellhop app simulate "Corner Shop"',
  },
  {
    name: 'app webhook',
    words: ['APP'],
    summary: 'send signed events of an application to an address, or print it when nothing is given',
    flags: [
      { name: 'url', placeholder: 'URL', doc: 'where to: https (http for private addresses only)' },
      {
        name: 'events',
        placeholder: 'A,B',
        doc: `which: ${EVENT_TYPES.join(', ')} (default: all)`,
      },
      {
        name: 'secret',
        placeholder: 'new|whsec_…',
        doc: 'what they are signed with (default: a new one, then the one there is)',
      },
      { name: 'remove', placeholder: null, doc: 'send no more, and erase what waits' },
      jsonFlag,
      dataFlag,
    ],
    example: 'bellhop app webhook "Corner Shop" --url https://shop.example/hooks --events push.finished,device.gone',
  },
  {
    name: 'app limits',
    words: ['APP'],
    summary: 'set what an application may call and send, or print it when no limit is given; 0 = unlimited',
    flags: [
      { name: 'rate', placeholder: 'N', doc: 'calls a second for each network address' },
      { name: 'burst', placeholder: 'N', doc: 'calls at once for each network address' },
      { name: 'backend-rate', placeholder: 'N', doc: 'calls a second with the secret' },
      { name: 'backend-burst', placeholder: 'N', doc: 'calls at once with the secret' },
      { name: 'quota', placeholder: 'N', doc: 'calls a period' },
      { name: 'quota-period', placeholder: 'day|month', doc: 'a calendar day or month, UTC' },
      { name: 'confirm-above', placeholder: 'N', doc: 'devices above which a push must name their number; 0 = off' },
      { name: 'hold-seconds', placeholder: 'N', doc: 'seconds in which a push to many can be cancelled; 0 = off' },
      {
        name: 'labels',
        placeholder: 'N',
        doc: 'tags and types up to which calls without the secret may bring new ones',
      },
      { name: 'devices', placeholder: 'N', doc: 'devices up to which calls without the secret may register new ones' },
      { name: 'push-id', placeholder: null, doc: 'the payload carries the id of the push, to report opens with' },
      { name: 'no-push-id', placeholder: null, doc: 'the payload carries nothing but what was given' },
      dataFlag,
    ],
    example: 'bellhop app limits "Corner Shop" --quota 100000 --quota-period day',
  },
]
