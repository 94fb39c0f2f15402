/** What must hold in every world. */
export const INVARIANTS = {
  'answered-is-kept': 'nothing that was answered with 2xx is lost, whatever died after it',
  'answers-as-expected': 'each call is answered as the state of things has it, and never with 5xx',
  'one-identity': 'a phone gets every repeat of a push with the same id, and never two ids of one push',
  'no-needless-repeat':
    'nobody is sent to again once the gateway has given a last word, unless the process died before it was written down',
  'only-the-audience': 'nobody is sent to who was not addressed',
  'gone-is-not-addressed':
    'who was unregistered, or is known to be gone, is in no later push, and a second later gets none of before',
  'everybody-is-reached': 'whoever was addressed, and stayed, is taken by the gateway or has its last word',
  'counts-add-up': 't = accepted + failed + waiting, at every look and at the end',
  'counts-are-true': 'what a status counts is what the gateways said',
  'cancelled-is-quiet': 'nothing is sent after the answer to a cancellation but what was on its way',
  'key-is-one-push': 'a call repeated with its Idempotency-Key is the same push, and is answered the same',
  'not-before-its-time': 'nothing is sent before its moment',
  'rest-is-kept': 'what Retry-After asks for is given',
  'one-alone': 'until a gateway is known to take a credential, and after a pause, one request goes there alone',
  'badge-is-shown': 'the badge stored with a device is the one that its phone got last',
  'browsers-can-read':
    'a second after a browser has registered with other keys nothing is encrypted for the ones before',
  'others-are-served': 'what one push service asks for holds up no other',
  'reports-are-counted': 'who opens a push, gets it, or chooses a button, is counted once, and told of once',
  'text-is-of-its-language': 'each phone gets the text of its language',
  'replaces-by-its-name': 'a push replaces others by the name that it was given, at each gateway',
  'tokens-follow': 'a second after a phone has registered with another token nothing goes to the one before',
  'erased-is-forgotten': 'of a phone that was erased with its user nobody hears any more',
  'aside-comes-back': 'who was set aside is back once the credential is another',
  'applications-are-apart': 'nothing of one application goes to devices of another, or with its credentials',
  'credentials-follow': 'a second after a credential was replaced nothing goes with it any more',
  'who-wants-no-events-gets-none': 'a receiver that has answered 410 is told of nothing more',
  'quota-is-kept': 'as many calls are granted in a day as the quota says, and no fewer',
  'hold-is-kept': 'what is held back is not sent before the hold is over',
  'events-are-told': 'each fact is told to the webhook, once stored, and always by the same id',
  'it-comes-to-an-end': 'once gateways are well again every push is over',
  'it-starts': 'a start succeeds on whatever a crash has left',
  'client-keeps-to-http': 'over simulated bytes, the client sends what it was given, within limits and windows',
  'client-tells-the-truth':
    'over simulated bytes, a request ends as the gateway ended it, and is acted on once: an answer is its own, and "no" means never',
  'nothing-is-thrown': 'no promise rejects unheard',
} as const

export type Invariant = keyof typeof INVARIANTS

export class Violation extends Error {
  readonly invariant: Invariant

  constructor(invariant: Invariant, what: string) {
    super(`${invariant}: ${what}`)
    this.invariant = invariant
  }
}
