import { namesOf, testFilters } from '../../support/reach.ts'
import type { Example } from '../../support/reach.ts'
import { fileService } from '../../support/file-service.ts'
import { tokensReached } from '../../support/arrivals.ts'
import { newCaller } from '../../support/caller.ts'

/** By name, in the order of the names. */
const DEVICES = {
  ann: { platform: '0', token: 'a1'.repeat(32), tag: ['beta', 'vip'], active: ['news'], alias: 'ann' },
  bob: { platform: '1', token: 'phone:bob', tag: ['beta'], active: ['news', 'offers'], alias: 'bob' },
  cid: { platform: '0', token: 'a3'.repeat(32), tag: ['vip'] },
  dan: { platform: '1', token: 'phone:dan', active: ['offers'], alias: 'dan' },
  eve: { platform: '0', token: 'a5'.repeat(32) },
}
const EVERYBODY = 'ann bob cid dan eve'
const NOBODY = ''

const service = await fileService()
const caller = newCaller(service)
for (const device of Object.values(DEVICES)) await caller.register(device)

/** The names of the devices a push with this filter reached, in order; who got it twice is named twice. */
async function reached(filter: object): Promise<string> {
  return namesOf(DEVICES, await tokensReached(service, await caller.post('/push/all', { ...filter, msg: 'Hello' })))
}

const SENTENCES: Readonly<Record<string, readonly Example[]>> = {
  'tags: a device with any of them': [
    [{ tags: ['beta'] }, 'ann bob'],
    [{ tags: ['beta', 'vip'] }, 'ann bob cid'],
    [{ tags: ['vip', 'unheard of'] }, 'ann cid'],
    [{ tags: ['beta', 'vip'], tags_match: 'any' }, 'ann bob cid'],
    [{ tags: ['beta', 'vip'], tags_match: '' }, 'ann bob cid'],
    [{ tags: ['beta', 'vip'], tags_match: null }, 'ann bob cid'],
  ],
  'tags with tags_match "all": a device with all of them': [
    [{ tags: ['beta', 'vip'], tags_match: 'all' }, 'ann'],
    [{ tags: ['beta'], tags_match: 'all' }, 'ann bob'],
    [{ tags: ['beta', 'unheard of'], tags_match: 'all' }, NOBODY],
  ],
  'except_tags: a device with none of them': [
    [{ except_tags: ['beta'] }, 'cid dan eve'],
    [{ except_tags: ['beta', 'vip'] }, 'dan eve'],
    [{ except_tags: ['unheard of'] }, EVERYBODY],
    [{ except_tags: ['beta', 'vip'], tags_match: 'all' }, 'dan eve'],
  ],
  'active: a device with any of these types': [
    [{ active: ['news'] }, 'ann bob'],
    [{ active: ['news', 'offers'] }, 'ann bob dan'],
    [{ active: ['news', 'offers'], tags_match: 'all' }, 'ann bob dan'],
  ],
  'except_active: a device with none of these types': [
    [{ except_active: ['news'] }, 'cid dan eve'],
    [{ except_active: ['news', 'offers'] }, 'cid eve'],
  ],
  'alias: the device that has it': [
    [{ alias: 'bob' }, 'bob'],
    [{ Alias: 'bob' }, 'bob'],
    [{ alias: 'dan', Alias: 'bob' }, 'dan'],
    [{ alias: 'unheard of' }, NOBODY],
  ],
  'except_alias: a device that does not have it, those without any among them': [
    [{ except_alias: 'ann' }, 'bob cid dan eve'],
    [{ except_alias: 'unheard of' }, EVERYBODY],
  ],
  'one string is an array of one': [
    [{ tags: 'vip' }, 'ann cid'],
    [{ tags: 'vip', tags_match: 'all' }, 'ann cid'],
    [{ except_tags: 'vip' }, 'bob dan eve'],
    [{ active: 'offers' }, 'bob dan'],
    [{ except_active: 'offers' }, 'ann cid eve'],
  ],
  'a repeated name counts once': [
    [{ tags: ['beta', 'beta'] }, 'ann bob'],
    [{ tags: ['beta', 'beta', 'vip', 'vip'], tags_match: 'all' }, 'ann'],
    [{ except_active: ['news', 'news'] }, 'cid dan eve'],
  ],
  'a name is compared as it is, and only with names of its kind': [
    [{ tags: ['BETA', ' beta', 'bet', 'beta%'] }, NOBODY],
    [{ tags: ['news'] }, NOBODY],
    [{ active: ['beta'] }, NOBODY],
    [{ except_tags: ['news'] }, EVERYBODY],
    [{ alias: 'ANN' }, NOBODY],
    [{ alias: 'beta' }, NOBODY],
  ],
  'different filters narrow together': [
    [{ tags: ['beta', 'vip'], active: ['offers'] }, 'bob'],
    [{ tags: ['beta', 'vip'], except_tags: ['vip'] }, 'bob'],
    [{ tags: ['beta', 'vip'], except_alias: 'ann' }, 'bob cid'],
    [{ tags: ['vip'], except_active: ['news'] }, 'cid'],
    [{ active: ['news', 'offers'], except_active: ['news'] }, 'dan'],
    [{ active: ['offers'], except_tags: ['beta'] }, 'dan'],
    [{ alias: 'ann', tags: ['vip'], active: ['news'] }, 'ann'],
    [{ alias: 'dan', tags: ['beta'] }, NOBODY],
    [{ alias: 'ann', except_alias: 'ann' }, NOBODY],
    [{ alias: 'ann', except_tags: ['vip'] }, NOBODY],
    [{ except_tags: ['vip'], except_active: ['news'], except_alias: 'dan' }, 'eve'],
    [{ tags: ['beta', 'vip'], tags_match: 'all', active: ['offers'] }, NOBODY],
    [{ tags: ['beta'], except_tags: [], active: ['news'], except_active: [], except_alias: 'bob' }, 'ann'],
  ],
  'an empty array of what to include is present, and nobody': [
    [{ tags: [] }, NOBODY],
    [{ tags: [], tags_match: 'all' }, NOBODY],
    [{ active: [] }, NOBODY],
    [{ tags: [], alias: 'ann' }, NOBODY],
    [{ tags: ['beta'], active: [] }, NOBODY],
  ],
  'an empty array of what to exclude is present, and excludes nobody': [
    [{ except_tags: [] }, EVERYBODY],
    [{ except_active: [] }, EVERYBODY],
    [{ tags: ['beta'], except_tags: [] }, 'ann bob'],
  ],
  'null is absent': [
    [{ tags: ['beta'], active: null, alias: null, except_tags: null, except_alias: null, platform: null }, 'ann bob'],
    [{ tags: null, active: ['news'] }, 'ann bob'],
  ],
  'the platforms narrow with the filters; without any it is both': [
    [{ platform: ['0'], tags: ['beta'] }, 'ann'],
    [{ platform: ['1'], tags: ['beta'] }, 'bob'],
    [{ platform: ['0', '1'], tags: ['beta'] }, 'ann bob'],
    [{ platform: '', tags: ['beta'] }, 'ann bob'],
    [{ platform: ['1'], alias: 'ann' }, NOBODY],
    [{ platform: ['1'], except_alias: 'bob' }, 'dan'],
  ],
  'platform may be one value, a number or a string; members that are unknown or repeated change nothing': [
    [{ platform: '0', except_tags: [] }, 'ann cid eve'],
    [{ platform: 0, except_tags: [] }, 'ann cid eve'],
    [{ platform: 1, except_tags: [] }, 'bob dan'],
    [{ platform: '1', except_tags: [] }, 'bob dan'],
    [{ platform: [0], except_tags: [] }, 'ann cid eve'],
    [{ platform: [1, '0'], except_tags: [] }, EVERYBODY],
    [{ platform: ['1', 2, 'ios', null, {}, [0]], except_tags: [] }, 'bob dan'],
    [{ platform: [0, '0', 0, 1, 1], except_tags: [] }, EVERYBODY],
  ],
}

testFilters(SENTENCES, reached)
