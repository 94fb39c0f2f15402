import { parentPort } from 'node:worker_threads'
import { agreeHere, POINT_BYTES, SECRET_BYTES } from './key-agreement.ts'

/**
 * The thread of `key-agreement.ts`. In: receivers' points. Out, in the same order: a point and a secret each, or zeros
 * for an invalid point.
 */
parentPort?.on('message', (receivers: Uint8Array) => {
  const count = receivers.length / POINT_BYTES
  const agreed = new Uint8Array(count * (POINT_BYTES + SECRET_BYTES))
  for (let n = 0; n < count; n++) {
    const agreement = agreeHere(receivers.subarray(n * POINT_BYTES, (n + 1) * POINT_BYTES))
    if (agreement === null) continue
    agreed.set(agreement.publicKey, n * (POINT_BYTES + SECRET_BYTES))
    agreed.set(agreement.secret, n * (POINT_BYTES + SECRET_BYTES) + POINT_BYTES)
  }
  parentPort?.postMessage(agreed, [agreed.buffer])
})
