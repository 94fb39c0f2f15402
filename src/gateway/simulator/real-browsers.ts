import { SIMULATED_SERVICE } from '../../device/webpush/push-services.ts'
import type { Provider, Recipient } from '../gateway.ts'

/**
 * For a simulated application with a VAPID key: reaches real browsers and the simulator's. Disposes of both providers.
 */
export function withRealBrowsers(real: Provider, simulated: Provider): Provider {
  const of = ({ token }: Recipient): Provider => (URL.parse(token)?.origin === SIMULATED_SERVICE ? simulated : real)
  return {
    ...constantsOf(real),
    send: (message, recipient, listener) => of(recipient).send(message, recipient, listener),
    originOf: (recipient) => of(recipient).originOf(recipient),
    get connections() {
      return (real.connections ?? 0) + (simulated.connections ?? 0)
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([real[Symbol.asyncDispose](), simulated[Symbol.asyncDispose]()])
    },
  }
}

function constantsOf({ name, retry, weight }: Provider): Pick<Provider, 'name' | 'retry' | 'weight' | 'isOpen'> {
  return { name, retry, isOpen: true, ...(weight !== undefined && { weight }) }
}
