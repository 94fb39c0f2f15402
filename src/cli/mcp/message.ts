import { isJsonObject } from '../../text/json-object.ts'
import type { JsonObject } from '../../text/json-object.ts'

/** JSON-RPC 2.0, 5.1, and MCP 2026-07-28, "Error Codes". */
export const ERROR = {
  parse: -32_700,
  request: -32_600,
  method: -32_601,
  params: -32_602,
  version: -32_022,
} as const

type RequestId = string | number

export interface RpcRequest {
  readonly kind: 'request'
  readonly id: RequestId
  readonly method: string
  readonly params: JsonObject
}

export interface RpcError {
  readonly kind: 'error'
  /** `null`: not known (JSON-RPC 2.0, 5). */
  readonly id: RequestId | null
  readonly code: number
  readonly message: string
  readonly data?: JsonObject
}

/** `ignored`: a response, though nothing was asked. */
export type RpcMessage =
  | RpcRequest
  | RpcError
  | { readonly kind: 'notification'; readonly method: string; readonly params: JsonObject }
  | { readonly kind: 'ignored' }

export function rpcError(id: RpcError['id'], code: number, message: string, data?: JsonObject): RpcError {
  return { kind: 'error', id, code, message, ...(data && { data }) }
}

/** MCP has no batches since 2025-06-18, and no null ids. */
export function readRpc(line: string): RpcMessage {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return rpcError(null, ERROR.parse, 'This line is not JSON.')
  }
  if (Array.isArray(value)) return rpcError(null, ERROR.request, 'Batches are not supported: send a message a line.')
  if (!isJsonObject(value) || value['jsonrpc'] !== '2.0') {
    return rpcError(null, ERROR.request, 'A message is an object with "jsonrpc": "2.0".')
  }
  const { id, method, params = {} } = value
  if (method === undefined && ('result' in value || 'error' in value)) return { kind: 'ignored' }
  const known = typeof id === 'string' || (typeof id === 'number' && Number.isSafeInteger(id)) ? id : null
  if ('id' in value && known === null) return rpcError(null, ERROR.request, 'id must be a string or a whole number.')
  if (typeof method !== 'string') return rpcError(known, ERROR.request, 'method must be a string.')
  if (!isJsonObject(params)) return rpcError(known, ERROR.params, 'params must be an object.')
  return known === null ? { kind: 'notification', method, params } : { kind: 'request', id: known, method, params }
}

export function resultLine(id: RequestId, result: JsonObject): string {
  return lineOf({ jsonrpc: '2.0', id, result })
}

export function errorLine({ id, code, message, data }: RpcError): string {
  return lineOf({ jsonrpc: '2.0', id, error: { code, message, ...(data && { data }) } })
}

function lineOf(message: JsonObject): string {
  return `${JSON.stringify(message)}\n`
}

/** Without blank lines. `null` in place of a line with more than `maxBytes` bytes. */
export async function* boundedLines(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<string | null, void> {
  let parts: Uint8Array[] = []
  let bytes = 0

  function add(part: Uint8Array): void {
    bytes += part.length
    if (bytes <= maxBytes) parts.push(part)
    else parts = []
  }

  function end(): string | null {
    const line = bytes > maxBytes ? null : Buffer.concat(parts).toString()
    parts = []
    bytes = 0
    return line
  }

  for await (const chunk of chunks) {
    let rest = chunk
    for (let at = rest.indexOf(LF); at !== -1; at = rest.indexOf(LF)) {
      add(rest.subarray(0, at))
      rest = rest.subarray(at + 1)
      const line = end()
      if (line?.trim() !== '') yield line
    }
    add(rest)
  }
  const last = end()
  if (last?.trim() !== '') yield last
}

const LF = 0x0a
