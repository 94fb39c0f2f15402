import { createServer as createPlainServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { makeCertificate } from './certificate.ts'

export interface Received {
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** Answers one request; the body has been read. */
type Answer = (response: ServerResponse, received: Received) => void

/** A receiver of webhooks. Answers 204 until it is told otherwise. */
export interface WebhookReceiver extends AsyncDisposable {
  readonly port: number
  /** PEM, for hooks.test, localhost and 127.0.0.1; what `ca` takes. */
  readonly certificate: string
  readonly received: readonly Received[]
  answer: Answer
  /** Resolves when `count` requests have come. */
  arrived(count: number): Promise<readonly Received[]>
  /** How many connections have been made to it. */
  connections(): number
  /** Closes all connections, without a word. */
  hangUp(): void
  /** Resolves when a client has closed its connection before it was answered. */
  readonly left: Promise<void>
}

const CERTIFICATE = makeCertificate({ name: 'hooks.test' })

export async function startReceiver({ plain = false } = {}): Promise<WebhookReceiver> {
  const received: Received[] = []
  const watchers = new Set<() => void>()
  const left = Promise.withResolvers<void>()
  const receiver = {
    certificate: CERTIFICATE.certificate,
    received,
    answer: status(204),
    left: left.promise,
    async arrived(count: number) {
      while (received.length < count) await new Promise<void>((resolve) => watchers.add(resolve))
      return received
    },
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('close', () => response.writableEnded || left.resolve())
    let body = ''
    for await (const chunk of request) body += String(chunk)
    const one = { url: request.url ?? '', headers: request.headers, body }
    received.push(one)
    receiver.answer(response, one)
    for (const tell of watchers) tell()
    watchers.clear()
  }

  const listener = (request: IncomingMessage, response: ServerResponse) => void handle(request, response)
  const { certificate: cert, privateKey: key } = CERTIFICATE
  const server = plain ? createPlainServer(listener) : createServer({ cert, key }, listener)
  let connections = 0
  server.on(plain ? 'connection' : 'secureConnection', () => connections++)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return Object.assign(receiver, {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    hangUp: () => server.closeAllConnections(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  })
}

/** Answers with this status, and no body. */
export function status(code: number, headers: Readonly<Record<string, string>> = {}): Answer {
  return (response) => void response.writeHead(code, headers).end()
}

/** Never answers. */
export const silence: Answer = () => undefined
