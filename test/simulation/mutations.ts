import { LIFE_MUTATIONS } from './life-mutations.ts'
import type { Mutation } from './plant.ts'

export const MUTATIONS: readonly Mutation[] = [
  {
    name: 'calls are answered before the sync',
    from: 'await sync.later().then(',
    to: 'await Promise.resolve(void sync.later()).then(',
  },
  {
    name: 'the webhook is told before the sync',
    from: '    await persist(() => undefined)\n',
    to: '',
  },
  {
    name: 'the end of a push is not told',
    from: '        events.pushFinished(record, clock.wallAt(clock.now()))\n',
    to: '',
  },
  {
    name: 'an event that the receiver refused is forgotten',
    from: 'wait === null ? events.erase(event.number) : events.putOff(event.number, attempt, now + wait)',
    to: 'events.erase(event.number)',
  },
  {
    name: 'a page that a stop has cut short passes for sent',
    from: 'if (sent === recipients.length) return [range]',
    to: 'if (sent >= 0) return [range]',
  },
  {
    name: 'after a start a push begins anew',
    from: 'p.ceiling, d.progress, d.ahead',
    to: 'p.ceiling, 0 AS progress, d.ahead',
  },
  {
    name: 'who is to be sent to again is not written down',
    from: "if (verdict.kind !== 'accepted') {\n    batch.results.push(",
    to: "if (verdict.kind !== 'accepted') {\n    if (verdict.kind === 'failed') batch.results.push(",
  },
  {
    name: 'stragglers of a page get no lease',
    from: "results.push({ device, state: 'leased',",
    to: "void ({ device, state: 'leased',",
  },
  {
    name: 'a lease stays after the phone was reached',
    from: 'if (batch.attempts !== null) batch.dropped.push(device)',
    to: '',
  },
  {
    name: 'who was reached at the second attempt counts twice',
    from: 'settle.run(progress, ahead, size, addressed, accepted, failed,',
    to: 'settle.run(progress, ahead, size, addressed, accepted + settlement.dropped.length, failed,',
  },
  {
    name: 'a cancelled push goes out at its moment',
    file: 'src/push/schedule/schedule-store.ts',
    from: 'const WAITS = `released_at IS NULL AND cancelled_at IS NULL AND application',
    to: 'const WAITS = `released_at IS NULL AND application',
  },
  {
    name: 'a push goes out a second before its moment',
    from: 'store.release(dueBy, clock.now(), RELEASE_LIMIT)',
    to: 'store.release({ ...dueBy, wall: dueBy.wall + 1000 }, clock.now(), RELEASE_LIMIT)',
  },
  {
    name: 'each wave of a local time goes to all zones',
    from: 'waveIn(local, zone, waves, row.created_at) === wave',
    to: 'waveIn(local, zone, waves, row.created_at) !== undefined',
  },
  {
    name: "Apple's Retry-After is lost",
    from: "judgeApns(answer.status, refusal, retryAfterMs(answer.header('retry-after'), now))",
    to: 'judgeApns(answer.status, refusal, null)',
  },
  {
    name: 'a repeat has another apns-id',
    file: 'src/gateway/apns/sent-request.ts',
    from: 'apnsIdOf(message.push, recipient.device)',
    to: 'apnsIdOf(message.push, recipient.device + (SentRequest.made = (SentRequest.made ?? 0) + 1))',
  },
  {
    name: 'the window of a credential opens at once',
    from: '  #trouble: Trouble | null = null\n  #size = 1\n',
    to: '  #trouble: Trouble | null = null\n  #size = 8\n',
  },
  {
    name: 'over HTTP/1.1 a request that was cut off passes for one that never came',
    from: "this.#over({ kind: 'unknown', reason }, 0)",
    to: "this.#over({ kind: 'unprocessed', reason }, 0)",
  },
  {
    name: 'what answers say of devices is not applied',
    from: 'for (const finding of settlement.findings) apply(finding, clock.wallAt(settlement.settledAt))',
    to: '',
  },
  {
    name: 'a phone that has come back stays gone',
    from: '(?4 >= seen_at OR (?5 < seen_at AND ?4 <= max(?2, ?5)))',
    to: '(?4 IS NOT NULL OR ?5 IS NOT NULL)',
  },
  {
    name: 'a page that is read again after a crash counts again on the badge',
    from: 'add(push, platform, fresh)',
    to: 'add(push, platform, [])',
  },
  {
    name: 'the badge of a push is not stored',
    from: 'registry.changeBadges(fresh, badge)',
    to: '[]',
  },
  {
    name: 'a page shows badges as they were when it was leased, whatever was stored since',
    from: 'badge === null || batch.badgeChanges === changesBeside(delivery.record)',
    to: 'badge === null || batch.badgeChanges >= 0',
  },
  {
    name: 'an Idempotency-Key is not kept',
    from: 'idempotency.keep(applicationNumber, repeat.key, remembered, createdAt)',
    to: 'void remembered',
  },
  {
    name: 'who waits for an access token is sent to after the cancellation',
    from: 'else if (listener.mayGo()) this',
    to: 'else if (authorization) this',
  },
  {
    name: 'who waits for an access token is sent to during a pause',
    from: ' && this.lane.window.mayGo(clock.now())',
    to: ' && clock !== null',
  },
  {
    name: 'who waits for the other environment is sent to with a credential that was replaced',
    from: ' && this.#owner.uses(this.lanes) && this.lane',
    to: ' && this.lane',
  },
  {
    name: 'a push is sent before it is on disk',
    from: '    lastOnDisk: () => lastOnDisk,\n',
    to: '    lastOnDisk: () => Number.MAX_SAFE_INTEGER + 0 * lastOnDisk,\n',
  },
  {
    name: 'a credential that a command replaces is used until the next start',
    from: 'made !== undefined && made !== fingerprintOf(application, platform)',
    to: 'made === undefined',
  },
  {
    name: 'a push to everybody goes to devices of other applications',
    from: 'INDEXED BY device_reach\n      WHERE d.application = ?4',
    to: 'INDEXED BY device_reach\n      WHERE d.application >= ?4',
  },
  {
    name: 'a push to a tag that nobody has goes to everybody',
    from: "  if (whole.kind === 'nobody') return null\n",
    to: "  if (whole.kind === 'nobody') return []\n",
  },
  {
    name: 'who is in a cell near a place passes for near',
    from: '[{ condition, entries, keys, exact: false }]',
    to: '[{ condition, entries, keys, exact: true }]',
  },
  {
    name: 'a receiver that has answered 410 is told of more',
    from: "outcome.kind === 'answered' && outcome.status === GONE",
    to: "outcome.kind === 'answered' && outcome.status === GONE + 1000",
  },
  {
    name: 'the calls of a day are counted from nothing after a start',
    from: 'const used = stored.get(application, period.name)?.used ?? 0',
    to: 'const used = 0 * (stored.get(application, period.name)?.used ?? 0)',
  },
  {
    name: 'who has left during a pause is sent to after it',
    from: 'readAt + FRESH_MS <= now',
    to: 'readAt === now + FRESH_MS',
  },
  {
    name: 'a Retry-After that is heard during a pause is lost',
    from: "return asks ? { verdict, isAttempt: verdict.kind !== 'retry' } : PUT_BACK",
    to: 'return asks && verdict === null ? { verdict, isAttempt: false } : PUT_BACK',
  },
  {
    name: 'the Retry-After of a push service is lost',
    from: "retryAfterMs(header('retry-after'), now)",
    to: "retryAfterMs(header('retry-before'), now)",
  },
  {
    name: 'what one push service asks for holds up all of them',
    from: 'if (roomOf(lane, now) <= 0) return false',
    to: 'if (roomOf(lane, now) <= 0 || all.some(({ window }) => window.isPaused(now))) return false',
  },
  {
    name: 'a subscription that has ended stays',
    from: "on: '410', known: '', means: 'gone'",
    to: "on: '410', known: '', means: 'either'",
  },
  {
    name: 'the 404 of a proxy ends subscriptions',
    from: "    means: 'either',\n    note: 'not of the push service itself',",
    to: "    means: 'gone',\n    note: 'not of the push service itself',",
  },
  {
    name: 'a push service has no window of its own',
    from: 'if (roomOf(lane, now) <= 0) return false',
    to: 'if (lane.window.isPaused(now)) return false',
  },
  {
    name: 'other keys of a browser are not stored',
    from: '    if (input.keys !== undefined) keys.set(id, input.keys)\n    columns.move',
    to: '    columns.move',
  },
  {
    name: 'the log is moved into the database without a sync',
    from: "file.run('PRAGMA synchronous = FULL')",
    to: "file.run('PRAGMA synchronous = OFF')",
  },
  {
    name: 'what was written to a socket that is lost passes for not sent',
    from: 'startsAt >= taken',
    to: 'startsAt >= 0 || taken < 0',
  },
  {
    name: 'what a GOAWAY says was not processed passes for unknown',
    from: "each.listener.onOver({ kind: 'unprocessed', reason, word })",
    to: "each.listener.onOver({ kind: 'unknown', reason, word })",
  },
  {
    name: 'what a GOAWAY may have processed is sent again',
    from: 'if (each.id <= last) continue',
    to: 'if (each.id < last) continue',
  },
  {
    name: 'a stream that was reset passes for refused',
    from: 'bytes.readUInt32BE(start) === ErrorCode.refusedStream && !stream.hasBegun',
    to: 'bytes.readUInt32BE(start) >= 0 && !stream.hasBegun',
  },
  {
    name: 'an answer goes to the oldest request of its connection',
    from: 'stream.listener.onOver(stream.answer())',
    to: '([...this.#streams.values()][0] ?? stream).listener.onOver(stream.answer())',
  },
  {
    name: 'a body is sent without regard to the window of its stream',
    from: 'Math.min(stream.sendWindow, this.#window, this.#maxFrameBytes)',
    to: 'Math.min(this.#window, this.#maxFrameBytes)',
  },
  {
    name: 'a stream more than the peer allows is opened',
    from: 'return this.#session.maxStreams - this.#inFlight',
    to: 'return this.#session.maxStreams + 1 - this.#inFlight',
  },
  ...LIFE_MUTATIONS,
]
