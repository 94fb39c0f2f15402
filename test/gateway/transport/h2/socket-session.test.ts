import { beforeEach, describe, expect, test } from 'bun:test'
import { lookup } from 'node:dns/promises'
import { createServer as createTcpServer, connect } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { createServer } from 'node:tls'
import type { TLSSocket } from 'node:tls'
import { makeCertificate } from '../../../support/certificate.ts'
import { createFakeClock } from '../../../support/fake-clock.ts'
import type { FakeClock } from '../../../support/fake-clock.ts'
import { startFrameGateway } from '../../../support/frame-gateway.ts'
import type { Call, FrameGateway } from '../../../support/frame-gateway.ts'
import { frame, PING, settingsFrame } from '../../../support/frames.ts'
import { NOTE, openWay, statusOf, times, WAYS } from '../ways.ts'

const ok = (call: Call): void => call.respond(200)
const [H2] = WAYS
if (H2 === undefined) throw new Error('no way')
