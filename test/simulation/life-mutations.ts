import type { Mutation } from './plant.ts'

/** Defects in the life of devices, in reports, and in changes by administrators. */
export const LIFE_MUTATIONS: readonly Mutation[] = [
  {
    name: 'a push that is let go more than an hour late is dropped',
    from: "if (!('local' in audience)) deliveries.add(",
    to: "if (!('local' in audience) && row.send_at > now - 3_600_000) deliveries.add(",
  },
  {
    name: 'a button that is reported again counts again',
    from: 'add.run(number, device.id, event, name, now).changes === 0) return null',
    to: 'add.run(number, device.id, event, name, now).changes === 0 && event !== 2) return null',
  },
  {
    name: 'that a push has arrived counts for each report',
    from: 'if (device !== null && add.run(',
    to: 'if (device !== null && event !== 1 && add.run(',
  },
  {
    name: 'what a device has opened nobody is told',
    from: "if (event !== 'received') {",
    to: "if (event === 'action') {",
  },
  {
    name: 'a token that another one replaces stays beside it',
    from: 'return isSame ? null : lookup.byToken(',
    to: 'return isSame || platform >= 0 ? null : lookup.byToken(',
  },
  {
    name: 'who has another token begins anew with its badge',
    from: "'UPDATE device SET token = ?, environment = NULL WHERE id = ?'",
    to: "'UPDATE device SET token = ?, environment = NULL, badge = 0 WHERE id = ?'",
  },
  {
    name: 'what waits for a device goes to the token of before',
    from: 'current = { ...task, recipient }',
    to: 'current = { ...task, recipient: { ...recipient, token: task.recipient.token } }',
  },
  {
    name: 'what is said of a token is held against the one that has replaced it',
    from: 'return row !== null && unpackToken(row.token) !== token',
    to: 'return row !== null && unpackToken(row.token) === `${token} `',
  },
  {
    name: "feedback about an erased user's devices stays",
    from: 'for (const token of tokens) users.forgetFeedback(',
    to: 'for (const token of tokens.slice(tokens.length)) users.forgetFeedback(',
  },
  {
    name: 'receivers are told of devices that were erased with their user',
    from: 'for (const token of tokens) events.eraseOfToken(',
    to: 'for (const token of tokens.slice(tokens.length)) events.eraseOfToken(',
  },
  {
    name: 'the erasure of a user leaves one device',
    from: 'if (devices.length === 0) return erased',
    to: 'if (devices.length <= 1) return erased',
  },
  {
    name: 'who was reached is sent to again by a resend',
    from: 'filter: { ...filterFrom(storedJson(audience) as Audience), missed },',
    to: 'filter: { ...filterFrom(storedJson(audience) as Audience), ...(missed.pushes.length < 0 && { missed }) },',
  },
  {
    name: 'who was not sent to in time is left out of a resend',
    from: 'cutShort === 1 ? unsettled(progress, storedJson(ahead) as Range[], ceiling) : []',
    to: 'cutShort > 1 ? unsettled(progress, storedJson(ahead) as Range[], ceiling) : []',
  },
  {
    name: 'an import brings no badges',
    from: 'badge: device.badge ?? 0,',
    to: 'badge: 0 * (device.badge ?? 0),',
  },
  {
    name: 'who was imported is there twice once its app has another token',
    from: 'if (!user) return null',
    to: 'if (!user || platform >= 0) return null',
  },
  {
    name: 'another language of a device is not stored',
    file: 'src/device/column-store.ts',
    from: 'if (values[name] !== had[name]) set(',
    to: "if (values[name] !== had[name] && name !== 'locale') set(",
  },
  {
    name: 'a language with a region is understood by nobody who has another',
    from: "  return range[end - 2] === '-' ? range.slice(0, end - 2) : range.slice(0, end)",
    to: "  return range[end - 2] === '-' ? range.slice(0, end - 2) : ''",
  },
  {
    name: 'a Topic goes out as it is',
    from: 'topic: collapse === undefined ? null : topicOf(collapse),',
    to: 'topic: collapse === undefined ? null : collapse,',
  },
  {
    name: 'a push replaces none at Google',
    from: '{ tag: collapse ?? push, ...onAndroid',
    to: '{ tag: push, ...onAndroid',
  },
  {
    name: 'a hold is over at once',
    from: 'heldUntil: clock.now() + holdMs',
    to: 'heldUntil: clock.now()',
  },
  {
    name: 'another quota counts from the next start',
    from: "    directory.reload()\n    if (outcome.kind === 'not-found') throw new Refused(NO_APPLICATION)\n    return view.whole",
    to: "    if (outcome.kind === 'not-found') throw new Refused(NO_APPLICATION)\n    return view.whole",
  },
  {
    name: 'whoever signs out keeps the user',
    from: ': said[name] || null',
    to: ': said[name] || had?.[name] || null',
  },
  {
    name: 'who was set aside stays so when the credential is another',
    from: '      for (const { id, token } of found) {\n        lookup.revive(id, clock.now())',
    to: '      for (const { id, token } of found) {',
  },
  {
    name: 'who was reached counts twice in the sums of the day',
    from: 'ON CONFLICT DO UPDATE SET t = t + excluded.t, s = s + excluded.s',
    to: 'ON CONFLICT DO UPDATE SET t = t + excluded.t, s = s + excluded.s * 2',
  },
  {
    name: 'an Idempotency-Key is forgotten after an hour',
    from: 'find.get(application, key, now - KEEP_KEYS_MS)',
    to: 'find.get(application, key, now - KEEP_KEYS_MS / 720)',
  },
  {
    name: 'a credential passes for good before anything is taken with it',
    from: 'any.get(...keyOf(key)) !== null',
    to: 'any.get(...keyOf(key)) !== undefined',
  },
  {
    name: 'a push to one counts again on the badge after a crash',
    from: 'l.last >= ?3 AND l.first <= ?4',
    to: 'l.last > ?3 AND l.first <= ?4',
  },
]
