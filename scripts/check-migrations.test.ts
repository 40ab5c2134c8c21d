import { describe, expect, test } from 'vitest'
import { findProblems, hash } from './check-migrations.ts'

const released = {
  '0001_first.sql': { release: '0.2.0', sha256: hash('create table a ()') },
  '0003_third.sql': { release: '0.3.0', sha256: hash('create table c ()') },
}
const migrations = { '0001_first.sql': 'create table a ()', '0003_third.sql': 'create table c ()' }
const of = (change: Record<string, string>, functions: Record<string, string> = {}) =>
  findProblems({ ...migrations, ...change }, functions, released)

describe('migrations', () => {
  test('in order and as released pass, with new ones after them', () => {
    expect(of({ '0004_fourth.sql': 'create table d ()' })).toEqual([])
  })

  test('two with one number fail', () => {
    expect(of({ '0004_b.sql': '', '0004_a.sql': '' })).toEqual(['0004_b.sql has the number of 0004_a.sql'])
  })

  test('a new one before a released one fails', () => {
    expect(of({ '0002_second.sql': '' })).toEqual([
      '0002_second.sql is out of order: 0003_third.sql is released, a new migration needs a higher number',
    ])
  })

  test('a released one that was changed or removed fails', () => {
    expect(of({ '0001_first.sql': 'create table a (n int)' })).toEqual([
      '0001_first.sql was changed after its release with 0.2.0: write a new migration instead',
    ])
    expect(findProblems({ '0001_first.sql': 'create table a ()' }, {}, released)).toEqual([
      '0003_third.sql is missing: it was released with 0.3.0',
    ])
  })

  test('a name without a number, and a function in a migration, fail', () => {
    expect(of({ 'later.sql': '' })).toEqual(['later.sql is not named like 0001_subject.sql'])
    expect(of({ '0004_d.sql': 'create table d ();\ncreate function f() returns int' })).toEqual([
      '0004_d.sql defines function f: functions live in server/db/functions',
    ])
  })
})

describe('servers of the release before', () => {
  const problemsOf = (text: string, releasing?: string) =>
    findProblems({ ...migrations, '0004_d.sql': text }, {}, released, releasing)

  test.each([
    ['alter table a add column n int'],
    ['alter table a add column n int not null default 0, add m text'],
    ['alter table a add column n bigint not null generated always as identity'],
    ['create table d (n int not null);\nalter table d alter column n drop default;\ncreate unique index on d (n)'],
    ['alter table a drop constraint a_kind_check;\nalter table a add constraint a_kind_check check (n in (1, 2, 3))'],
    ['create index on a (n);\ndrop index a_n_idx'],
    ['-- Nobody may drop column n.\ncreate table d ()'],
  ])('go on with: %s', (text) => {
    expect(problemsOf(text)).toEqual([])
  })

  test.each([
    ['alter table a drop column n', 'drops a column'],
    ['ALTER TABLE a\n  DROP COLUMN n', 'drops a column'],
    ['drop table a', 'drops something'],
    ['drop function f(int)', 'drops something'],
    ['alter table a rename column n to m', 'renames something'],
    ['alter table a rename to b', 'renames something'],
    ['alter table a alter column n type bigint', 'changes the type of a column'],
    ['alter table a alter n set not null', 'makes a column required'],
    ['alter table a alter column n drop default', 'takes a default away'],
    ['alter table a add column n int not null', 'adds a required column without a default'],
    ['alter table a add n int not null', 'adds a required column without a default'],
    ['alter table a add constraint one check (n > 0)', 'adds a constraint'],
    ['create unique index on a (n)', 'demands that rows differ'],
    ['create unique index a_n on a (n)', 'demands that rows differ'],
    ['truncate a', 'empties a table'],
  ])('cannot live with: %s', (text, what) => {
    expect(problemsOf(text)).toEqual([
      `0004_d.sql ${what}, which breaks servers of the previous release: see deploy/UPGRADING.md`,
    ])
  })

  test('a contract step may remove what a release that is out no longer uses', () => {
    const step = (release: string) => `-- contract: ${release}\nalter table a drop column n`
    const early =
      '0004_d.sql is the contract step of a release that is not out: servers of the release before still use what it removes'
    expect(problemsOf(step('0.1.0'))).toEqual([])
    expect(problemsOf(step('900.0.0'))).toEqual([early])
    expect(problemsOf(step('0.3.0'), '0.4.0')).toEqual([])
    expect(problemsOf(step('0.4.0'), '0.4.0')).toEqual([early])
    expect(problemsOf('-- contract 0.1.0\nalter table a drop column n')).toEqual([
      '0004_d.sql has a contract line that is not of the form "-- contract: 1.2.3"',
    ])
  })
})

describe('function files', () => {
  test('a function that two files define, or that cannot be applied again, fails', () => {
    const text = 'create or replace function f() returns int'
    expect(of({}, { 'f.sql': text, 'g.sql': text })).toEqual(['g.sql defines function f, which f.sql defines too'])
    expect(of({}, { 'f.sql': 'create function f() returns int' })).toEqual([
      'f.sql creates function f without "or replace": a function file is applied again',
    ])
  })

  test('one file may define two signatures of a function', () => {
    const text = 'create or replace function f(n int) returns int;\ncreate or replace function f(n bigint) returns int;'
    expect(of({}, { 'f.sql': text })).toEqual([])
  })

  test('triggers of one name on two tables pass', () => {
    const trigger = (table: string) =>
      `create or replace trigger t after update of x on ${table} for each row execute function f();`
    expect(of({}, { 'f.sql': `${trigger('a')}\n${trigger('b')}` })).toEqual([])
  })
})
