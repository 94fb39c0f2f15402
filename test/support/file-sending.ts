import { afterAll, afterEach, beforeEach } from 'bun:test'
import { targetsOf } from '../../src/gateway/simulator/known-credentials.ts'
import type { ReceivedPush } from '../../src/gateway/simulator/received-pushes.ts'
import { createFakeClock } from './fake-clock.ts'
import { startOutsideGateways } from './outside-gateways.ts'
import { passing } from './passing.ts'
import { acceptedPush, pushSent, registerDevice, registerDevices } from './sending.ts'
import { startService } from './service.ts'
import type { Answer, Call, Credentials, LogLine, ServiceOptions } from './service.ts'

interface Options extends Omit<ServiceOptions, 'clock' | 'simulated'> {
  /** Default false: applications send to the built-in simulator. True: to one outside, with a credential that a test gives. */
  readonly outside?: boolean
}

/**
 * One service for all tests of a file, which sends by a clock that the test moves, and an application of its own for
 * each test: calls, log and arrivals are of that test alone. The service ends with the file. The simulator is shared: a
 * token that orders a failure for its first sends is for one test.
 */
export async function fileSending({ outside = false, ...options }: Options = {}) {
  const clock = createFakeClock()
  const gateways = outside ? await startOutsideGateways(clock) : null
  let service = await startService({
    clock,
    random: () => 0.5,
    ...options,
    config: { ...gateways?.config, ...options.config },
  })
  const simulator = gateways?.simulator ?? (await service.server.simulator())
  let application: Credentials = service.application
  let number = 0
  /** Where the log of this test begins. */
  let line = 0
  let arrivals: ReceivedPush[] = []
  simulator.onArrival((arrival) => {
    const own: (string | null)[] = Object.values(targetsOf(application.id))
    if (own.includes(arrival.target)) arrivals.push(arrival)
  })

  beforeEach(() => {
    application = service.addApplication(`app ${++number}`, options.limits, !outside)
    clock.advance(1000)
    line = service.log.length
    arrivals = []
  })
  afterEach(() => {
    simulator.answerWith(null)
    service.remove(application)
  })
  afterAll(async () => {
    await service[Symbol.asyncDispose]()
    await gateways?.[Symbol.asyncDispose]()
  })

  const log = () => service.log.slice(line)
  const get = (path: string, call: Call = {}): Promise<Answer> => service.get(path, { application, ...call })

  return {
    clock,
    simulator,
    get service() {
      return service
    },
    get application() {
      return application
    },
    /** As readiness and metrics name it. */
    get name() {
      return `app ${number}`
    },

    log,
    paused: () => log().filter(({ event }) => event === 'sending paused'),
    /** The first line of this test, past or to come, that matches. */
    logged: (matches: (line: LogLine) => boolean): Promise<LogLine> =>
      service.logged((one) => service.log.indexOf(one) >= line && matches(one)),
    arrivals: (): readonly ReceivedPush[] => arrivals,

    get,
    put: (path: string, body: unknown, call: Call = {}) => service.put(path, body, { application, ...call }),
    post: (path: string, body: unknown, call: Call = {}) => service.post(path, body, { application, ...call }),
    /** Registers a device, which must be new. */
    register: (device: object, call: Call = {}) => registerDevice(service, device, { application, ...call }),
    registerAll: (platform: 0 | 1, tokens: readonly string[]) =>
      registerDevices(service, platform, tokens, { application }),
    /** Pushes "Hello" to iOS, or as `more` says; the push must be accepted. Returns its id. */
    push: (more: object = {}, path: '/push/all' | '/push/one' = '/push/all') =>
      acceptedPush(service, path, more, { application }),
    /** Resolves when the push was sent to everybody. `platform`: on this one; default: on any. */
    sent: (id: string, platform?: number) => pushSent(service, id, platform),
    /** The body of `GET /push/{id}`. */
    status: async (id: string): Promise<any> => (await get(`/push/${id}`)).body,
    analytics: async (): Promise<any> => (await get('/analytics')).body,
    ready: async (): Promise<{ status: number; body: any }> => {
      const response = await fetch(`${service.adminUrl}/readyz`)
      return { status: response.status, body: await response.json() }
    },

    /** Lets time pass until `done` has happened. `stepMs`: as of `passing`. */
    pass: <T>(done: Promise<T>, stepMs?: number): Promise<T> => passing(service, clock, done, stepMs),
    /** Stops the service, and starts it again on the same data. With gateways outside: the built-in one would be another. */
    restart: async (): Promise<void> => {
      service = await service.restart()
      line = 0
    },
  }
}
