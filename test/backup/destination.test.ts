import { expect, test } from 'bun:test'
import { destinationIn, repositoryPlaceIn, destinationText } from '../../src/backup/destination.ts'

const isFolder = (path: string) => path === '/backups'

test('a path is a file, or a folder where one is or a slash ends it', () => {
  expect(destinationIn('/backups', isFolder)).toEqual({ kind: 'folder', path: '/backups' })
  expect(destinationIn('new/', isFolder)).toEqual({ kind: 'folder', path: 'new/' })
  expect(destinationIn('/backups/a.db', isFolder)).toEqual({ kind: 'file', path: '/backups/a.db' })
})

test('of a bucket it is one object where .db ends it, else a prefix', () => {
  expect(destinationIn('s3://shop/a/b.db', isFolder)).toEqual({ kind: 'object', bucket: 'shop', key: 'a/b.db' })
  expect(destinationIn('s3://shop/a', isFolder)).toEqual({ kind: 'prefix', bucket: 'shop', prefix: 'a/' })
  expect(destinationIn('s3://shop/', isFolder)).toEqual({ kind: 'prefix', bucket: 'shop', prefix: '' })
  expect(destinationIn('s3://shop', isFolder)).toEqual({ kind: 'prefix', bucket: 'shop', prefix: '' })
})

test('what is no place says so', () => {
  expect(destinationIn('gs://shop/a', isFolder)).toEqual({
    kind: 'problem',
    problem: '"gs://shop/a" is not a place for backups: a path, or s3://bucket/prefix/.',
  })
  expect(destinationIn('s3:///a', isFolder)).toEqual({
    kind: 'problem',
    problem:
      '"s3:///a" is not s3://bucket/prefix/ or s3://bucket/name.db, with a bucket name of 3 to 63 letters, digits, dots, hyphens and underscores.',
  })
  expect(destinationIn('', isFolder)).toMatchObject({ kind: 'problem' })
})

test('a repository is a folder or a prefix, whatever ends it', () => {
  expect(repositoryPlaceIn('/srv/x')).toEqual({ kind: 'folder', path: '/srv/x' })
  expect(repositoryPlaceIn('s3://shop/a')).toEqual({ kind: 'prefix', bucket: 'shop', prefix: 'a/' })
  expect(repositoryPlaceIn('s3://shop/a.db')).toEqual({ kind: 'prefix', bucket: 'shop', prefix: 'a.db/' })
})

test('it is written out as it is written', () => {
  for (const text of ['s3://shop/a/', 's3://shop/', 's3://shop/a/b.db', '/backups', 'x.db']) {
    const found = destinationIn(text, isFolder)
    expect(found.kind === 'problem' ? null : destinationText(found)).toBe(text)
  }
})
