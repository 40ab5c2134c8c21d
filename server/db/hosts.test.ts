import { expect, test } from 'vitest'
import { readHosts, withDatabaseName } from './hosts.ts'

test.each([
  ['postgres://me@a/db', ['postgres://me@a/db'], false],
  ['postgres://me:p%2Cw@[::1]:5433/db?sslmode=require', ['postgres://me:p%2Cw@[::1]:5433/db?sslmode=require'], false],
  ['postgres:///db?host=/run/postgresql', ['postgres:///db?host=/run/postgresql'], false],
  ['postgres://me@a/db?target_session_attrs=read-write', ['postgres://me@a/db'], true],
  ['postgres://me@a/db?target_session_attrs=any', ['postgres://me@a/db'], false],
  ['postgres://me:p,w@a:5432,b:5433/db', ['postgres://me:p,w@a:5432/db', 'postgres://me:p,w@b:5433/db'], true],
  [
    'postgresql://me@a,[::1]:5433/db?sslmode=no-verify&target_session_attrs=primary',
    ['postgresql://me@a/db?sslmode=no-verify', 'postgresql://me@[::1]:5433/db?sslmode=no-verify'],
    true,
  ],
  [
    'postgres://me@/db?host=a,b&port=5432,5433&target_session_attrs=read-write',
    ['postgres://me@/db?host=a&port=5432', 'postgres://me@/db?host=b&port=5433'],
    true,
  ],
  ['postgres:///db?host=a,b&port=5433', ['postgres:///db?host=a&port=5433', 'postgres:///db?host=b&port=5433'], true],
])('%s', (connectionString, urls, mustWrite) => {
  expect(readHosts(connectionString)).toEqual({ urls, mustWrite })
})

test.each([
  [
    'postgres://me:secret@a,b/db?target_session_attrs=standby',
    /^DATABASE_URL asks .* set target_session_attrs=read-write\.$/,
  ],
  ['postgres://me:secret@a,/db', /^DATABASE_URL has a comma without a host beside it/],
  ['postgres://me:secret@/db?host=a,b,c&port=1,2', /^DATABASE_URL names several hosts: give it one port, or as many/],
])('%s is refused without quoting it', (connectionString, message) => {
  expect(() => readHosts(connectionString)).toThrow(message)
  expect(() => readHosts(connectionString)).not.toThrow('secret')
})

test.each([
  ['postgres://me@a:1,b:2/db', 'postgres://me@a:1,b:2/other'],
  ['postgres://me@a?sslmode=require', 'postgres://me@a/other?sslmode=require'],
  ['postgres://me@/db?host=a,b', 'postgres://me@/other?host=a,b'],
])('another database at %s', (connectionString, other) => {
  expect(withDatabaseName(connectionString, 'other')).toBe(other)
})
