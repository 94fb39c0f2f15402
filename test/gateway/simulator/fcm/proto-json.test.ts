import { describe, expect, test } from 'bun:test'
import { violationsOf } from '../../../../src/gateway/simulator/fcm/proto-json.ts'
import type { FieldType } from '../../../../src/notification/message-type.ts'

const SIZE: FieldType = { enumName: 'Box.Size', values: ['SMALL', 'LARGE'] }
const BOX: FieldType = {
  messageName: 'Box',
  fields: {
    label_text: 'string',
    open: 'bool',
    count: 'int32',
    weight: 'double',
    ttl: 'duration',
    data: 'map',
    extra: 'struct',
    size: SIZE,
    tags: { listOf: 'string' },
    inner: { messageName: 'Inner', fields: { name: 'string' } },
  },
}

describe('ProtoJSON', () => {
  test.each<[object]>([
    [{}],
    [{ label_text: 'a' }],
    [{ labelText: 'a' }],
    [{ label_text: null }],
    [{ open: true, count: 5, weight: 0.5 }],
    [{ count: '5' }],
    [{ ttl: '3600s' }],
    [{ ttl: '0.5s' }],
    [{ data: { a: 'b' } }],
    [{ extra: { any: { thing: [1] } } }],
    [{ size: 'SMALL' }],
    [{ size: 'large' }],
    [{ tags: ['a', 'b'] }],
    [{ inner: { name: 'a' } }],
  ])('takes %j', (value) => {
    expect(violationsOf(value, BOX, 'box')).toEqual([])
  })

  test.each<[object, string, string]>([
    [{ label_text: 5 }, 'box.label_text', "Invalid value at 'box.label_text' (TYPE_STRING), 5"],
    [{ open: 'yes' }, 'box.open', `Invalid value at 'box.open' (TYPE_BOOL), "yes"`],
    [{ count: 'many' }, 'box.count', `Invalid value at 'box.count' (TYPE_INT32), "many"`],
    [{ count: 1.5 }, 'box.count', "Invalid value at 'box.count' (TYPE_INT32), 1.5"],
    [{ count: 2147483648 }, 'box.count', "Invalid value at 'box.count' (TYPE_INT32), 2147483648"],
    [{ count: true }, 'box.count', "Invalid value at 'box.count' (TYPE_INT32), true"],
    [{ weight: 'x' }, 'box.weight', `Invalid value at 'box.weight' (TYPE_DOUBLE), "x"`],
    [{ ttl: 3600 }, 'box.ttl', "Invalid value at 'box.ttl' (type.googleapis.com/google.protobuf.Duration), 3600"],
    [{ ttl: '1h' }, 'box.ttl', `Invalid value at 'box.ttl' (type.googleapis.com/google.protobuf.Duration), "1h"`],
    [{ data: { a: 'b', c: 1 } }, 'box.data[1].value', "Invalid value at 'box.data[1].value' (TYPE_STRING), 1"],
    [{ data: 'x' }, 'box.data', `Invalid value at 'box.data' (TYPE_MESSAGE), "x"`],
    [{ extra: 'x' }, 'box.extra', `Invalid value at 'box.extra' (type.googleapis.com/google.protobuf.Struct), "x"`],
    [
      { size: 'HUGE' },
      'box.size',
      `Invalid value at 'box.size' (type.googleapis.com/google.firebase.fcm.v1.Box.Size), "HUGE"`,
    ],
    [{ tags: ['a', 5] }, 'box.tags[1]', "Invalid value at 'box.tags[1]' (TYPE_STRING), 5"],
    [
      { inner: 'x' },
      'box.inner',
      `Invalid value at 'box.inner' (type.googleapis.com/google.firebase.fcm.v1.Inner), "x"`,
    ],
    [{ inner: { name: 1 } }, 'box.inner.name', "Invalid value at 'box.inner.name' (TYPE_STRING), 1"],
    [
      { inner: { nam: 'a' } },
      'box.inner',
      `Invalid JSON payload received. Unknown name "nam" at 'box.inner': Cannot find field.`,
    ],
    [
      { constructor: 'a' },
      'box',
      `Invalid JSON payload received. Unknown name "constructor" at 'box': Cannot find field.`,
    ],
  ])('refuses %j', (value, field, description) => {
    expect(violationsOf(value, BOX, 'box')).toEqual([{ field, description }])
  })

  test('names no field for what is wrong at the top', () => {
    expect(violationsOf({ x: 1 }, BOX, '')).toEqual([
      { description: 'Invalid JSON payload received. Unknown name "x": Cannot find field.' },
    ])
  })

  test('finds everything that is wrong', () => {
    expect(violationsOf({ open: 1, count: 'x', size: 'HUGE' }, BOX, '')).toHaveLength(3)
  })
})
