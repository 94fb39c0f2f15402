/** A defect that is planted in a copy of the sources, to see whether the simulation finds it. */
export interface Mutation {
  /** What the defect does, for the manual. */
  readonly name: string
  /** Below the root of the checkout. */
  readonly file: string
  /** Stands there once. */
  readonly from: string
  readonly to: string
}

export const MUTATIONS: readonly Mutation[] = [
  {
    name: 'calls are answered before the sync',
    file: 'src/database/group-commit.ts',
    from: 'await sync.later().then(',
    to: 'await Promise.resolve(void sync.later()).then(',
  },
  {
    name: 'the webhook is told before the sync',
    file: 'src/webhook/webhook-sender.ts',
    from: '    await persist(() => undefined)\n',
    to: '',
  },
  {
    name: 'the end of a push is not told',
    file: 'src/delivery/ledger.ts',
    from: '      events.pushFinished(record, clock.wallAt(clock.now()))\n',
    to: '',
  },
  {
    name: 'an event that the receiver refused is forgotten',
    file: 'src/webhook/event-settlement.ts',
    from: 'wait === null ? events.erase(event.number) : events.putOff(event.number, attempt, now + wait)',
    to: 'events.erase(event.number)',
  },
  {
    name: 'a page that a stop has cut short passes for sent',
    file: 'src/delivery/open/batch.ts',
    from: 'if (sent === recipients.length) return [range]',
    to: 'if (sent >= 0) return [range]',
  },
  {
    name: 'after a start a push begins anew',
    file: 'src/delivery/store/delivery-store.ts',
    from: 'p.ceiling, d.progress, d.ahead',
    to: 'p.ceiling, 0 AS progress, d.ahead',
  },
  {
    name: 'who is to be sent to again is not written down',
    file: 'src/delivery/open/batch.ts',
    from: "if (verdict.kind !== 'accepted') {\n    batch.results.push(",
    to: "if (verdict.kind !== 'accepted') {\n    if (verdict.kind === 'failed') batch.results.push(",
  },
  {
    name: 'stragglers of a page get no lease',
    file: 'src/delivery/open/batch.ts',
    from: "results.push({ device, state: 'leased',",
    to: "void ({ device, state: 'leased',",
  },
  {
    name: 'a lease stays after the phone was reached',
    file: 'src/delivery/open/batch.ts',
    from: 'if (batch.attempts !== null) batch.dropped.push(device)',
    to: '',
  },
  {
    name: 'who was reached at the second attempt counts twice',
    file: 'src/delivery/store/delivery-store.ts',
    from: 'settle.run(progress, ahead, size, addressed, accepted, failed,',
    to: 'settle.run(progress, ahead, size, addressed, accepted + settlement.dropped.length, failed,',
  },
  {
    name: 'a cancelled push goes out at its moment',
    file: 'src/push/schedule/schedule-store.ts',
    from: "const SCHEDULED = 'released_at IS NULL AND cancelled_at IS NULL AND send_at IS NOT NULL'",
    to: "const SCHEDULED = 'released_at IS NULL AND send_at IS NOT NULL'",
  },
  {
    name: 'a push goes out a second before its moment',
    file: 'src/push/schedule/schedule.ts',
    from: 'store.release(dueBy, clock.now(), RELEASE_LIMIT)',
    to: 'store.release({ ...dueBy, wall: dueBy.wall + 1000 }, clock.now(), RELEASE_LIMIT)',
  },
  {
    name: 'each wave of a local time goes to all zones',
    file: 'src/push/schedule/schedule-store.ts',
    from: 'waveIn(local, zone, waves, row.created_at) === wave',
    to: 'waveIn(local, zone, waves, row.created_at) !== undefined',
  },
  {
    name: "Apple's Retry-After is lost",
    file: 'src/gateway/apns/client.ts',
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
    file: 'src/delivery/lane/congestion-window.ts',
    from: '  #reason: string | null = null\n  #size = 1\n',
    to: '  #reason: string | null = null\n  #size = 8\n',
  },
  {
    name: 'what answers say of devices is not applied',
    file: 'src/delivery/ledger.ts',
    from: 'for (const finding of settlement.findings) this.#apply(finding, clock.wallAt(settlement.settledAt))',
    to: '',
  },
  {
    name: 'a phone that has come back stays gone',
    file: 'src/device/reachability-store.ts',
    from: '(?4 >= seen_at OR (?5 < seen_at AND ?4 <= ?5))',
    to: '(?4 IS NOT NULL OR ?5 IS NOT NULL)',
  },
  {
    name: 'a page that is read again after a crash counts again on the badge',
    file: 'src/delivery/store/badge-lease-store.ts',
    from: 'add(push, platform, fresh)',
    to: 'add(push, platform, [])',
  },
  {
    name: 'the badge of a push is not stored',
    file: 'src/delivery/stored-badges.ts',
    from: 'registry.changeBadges(fresh, badge)',
    to: '[]',
  },
  {
    name: 'a page shows badges as they were when it was leased, whatever was stored since',
    file: 'src/delivery/stored-badges.ts',
    from: 'badge === null || batch.badgeChanges === this.changesBeside(delivery.record)',
    to: 'badge === null || batch.badgeChanges >= 0',
  },
  {
    name: 'an Idempotency-Key is not kept',
    file: 'src/push/accept.ts',
    from: 'idempotency.keep(applicationNumber, repeat.key, remembered, createdAt)',
    to: 'void remembered',
  },
  {
    name: 'who waits for an access token is sent to after the cancellation',
    file: 'src/gateway/fcm/client.ts',
    from: 'else if (listener.mayGo()) this',
    to: 'else if (authorization) this',
  },
  {
    name: 'who waits for the other environment is sent to during a pause',
    file: 'src/delivery/on-its-way.ts',
    from: ' && this.lane.window.mayGo(clock.now())',
    to: ' && clock !== null',
  },
  {
    name: 'who waits for the other environment is sent to with a credential that was replaced',
    file: 'src/delivery/on-its-way.ts',
    from: ' && this.#owner.uses(this.lanes) && this.lane',
    to: ' && this.lane',
  },
  {
    name: 'a push is sent before it is on disk',
    file: 'src/delivery/delivery-pool.ts',
    from: '    lastOnDisk: () => lastOnDisk,\n',
    to: '    lastOnDisk: () => Number.MAX_SAFE_INTEGER + 0 * lastOnDisk,\n',
  },
  {
    name: 'a credential that a command replaces is used until the next start',
    file: 'src/gateway/providers.ts',
    from: 'made !== undefined && made !== fingerprintOf(application, platform)',
    to: 'made === undefined',
  },
  {
    name: 'a push to everybody goes to devices of other applications',
    file: 'src/audience/audience-plan.ts',
    from: 'INDEXED BY device_reach\n      WHERE d.application = ?4',
    to: 'INDEXED BY device_reach\n      WHERE d.application >= ?4',
  },
  {
    name: 'a push to a tag that nobody has goes to everybody',
    file: 'src/audience/condition.ts',
    from: "  if (whole.kind === 'nobody') return null\n",
    to: "  if (whole.kind === 'nobody') return []\n",
  },
  {
    name: 'who is in a cell near a place passes for near',
    file: 'src/audience/audience-plan.ts',
    from: '[{ condition, entries, keys, exact: false }]',
    to: '[{ condition, entries, keys, exact: true }]',
  },
  {
    name: 'a receiver that has answered 410 is told of more',
    file: 'src/webhook/event-settlement.ts',
    from: "outcome.kind === 'answered' && outcome.status === GONE",
    to: "outcome.kind === 'answered' && outcome.status === GONE + 1000",
  },
  {
    name: 'the calls of a day are counted from nothing after a start',
    file: 'src/usage/quota-ledger.ts',
    from: 'const used = stored.get(application, period.name)?.used ?? 0',
    to: 'const used = 0 * (stored.get(application, period.name)?.used ?? 0)',
  },
  {
    name: 'who has left during a pause is sent to after it',
    file: 'src/delivery/open/batch.ts',
    from: 'readAt + FRESH_MS <= now',
    to: 'readAt === now + FRESH_MS',
  },
  {
    name: 'a Retry-After that is heard during a pause is lost',
    file: 'src/delivery/lane/lane.ts',
    from: "return asks ? { verdict, isAttempt: verdict.kind !== 'retry' } : PUT_BACK",
    to: 'return asks && verdict === null ? { verdict, isAttempt: false } : PUT_BACK',
  },
  {
    name: 'the Retry-After of a push service is lost',
    file: 'src/gateway/webpush/protocol.ts',
    from: "retryAfterMs(header('retry-after'), now)",
    to: "retryAfterMs(header('retry-before'), now)",
  },
  {
    name: 'what one push service asks for holds up all of them',
    file: 'src/delivery/lane/lanes.ts',
    from: 'if (roomOf(lane, now) <= 0) return false',
    to: 'if (roomOf(lane, now) <= 0 || this.#all.some(({ window }) => window.isPaused(now))) return false',
  },
  {
    name: 'a subscription that has ended stays',
    file: 'src/gateway/webpush/answer-table.ts',
    from: "on: '410', known: '', means: 'gone'",
    to: "on: '410', known: '', means: 'either'",
  },
  {
    name: 'the 404 of a proxy ends subscriptions',
    file: 'src/gateway/webpush/answer-table.ts',
    from: "    means: 'either',\n    note: 'not of the push service itself',",
    to: "    means: 'gone',\n    note: 'not of the push service itself',",
  },
  {
    name: 'a push service has no window of its own',
    file: 'src/delivery/lane/lanes.ts',
    from: 'if (roomOf(lane, now) <= 0) return false',
    to: 'if (lane.window.isPaused(now)) return false',
  },
  {
    name: 'other keys of a browser are not stored',
    file: 'src/device/registration/registration-store.ts',
    from: '    if (input.keys !== undefined) keys.set(row.id, input.keys)\n',
    to: '',
  },
  {
    name: 'the log is moved into the database without a sync',
    file: 'src/database/checkpoint/move-log.ts',
    from: "file.run('PRAGMA synchronous = FULL')",
    to: "file.run('PRAGMA synchronous = OFF')",
  },
  {
    name: 'what was written to a socket that is lost passes for not sent',
    file: 'src/gateway/transport/h2/connection.ts',
    from: 'startsAt >= taken',
    to: 'startsAt >= 0 || taken < 0',
  },
  {
    name: 'what a GOAWAY says was not processed passes for unknown',
    file: 'src/gateway/transport/h2/connection.ts',
    from: "each.listener.onOver({ kind: 'unprocessed', reason, ...word })",
    to: "each.listener.onOver({ kind: 'unknown', reason, ...word })",
  },
  {
    name: 'what a GOAWAY may have processed is sent again',
    file: 'src/gateway/transport/h2/connection.ts',
    from: 'if (each.id <= last) continue',
    to: 'if (each.id < last) continue',
  },
  {
    name: 'a stream that was reset passes for refused',
    file: 'src/gateway/transport/h2/connection.ts',
    from: 'bytes.readUInt32BE(start) === ErrorCode.refusedStream && !stream.hasBegun',
    to: 'bytes.readUInt32BE(start) >= 0 && !stream.hasBegun',
  },
  {
    name: 'an answer goes to the oldest request of its connection',
    file: 'src/gateway/transport/h2/connection.ts',
    from: 'stream.listener.onOver(stream.answer())',
    to: '([...this.#streams.values()][0] ?? stream).listener.onOver(stream.answer())',
  },
  {
    name: 'a body is sent without regard to the window of its stream',
    file: 'src/gateway/transport/h2/request-writer.ts',
    from: 'Math.min(stream.sendWindow, this.#window, this.#maxFrameBytes)',
    to: 'Math.min(this.#window, this.#maxFrameBytes)',
  },
  {
    name: 'a stream more than the peer allows is opened',
    file: 'src/gateway/transport/pooled-connection.ts',
    from: 'return this.#session.maxStreams - this.#inFlight',
    to: 'return this.#session.maxStreams + 1 - this.#inFlight',
  },
]
