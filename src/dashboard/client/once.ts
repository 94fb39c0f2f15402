import { useMemo } from 'preact/hooks'

/** The header that makes a call safe to repeat, until `what` it asks for changes. */
export const useOnce = (what: string) =>
  useMemo(() => ({ 'idempotency-key': crypto.getRandomValues(new Uint32Array(4)).join('-') }), [what])
