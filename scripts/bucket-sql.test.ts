import { expect, test } from 'vitest'
import { bucketProblems, callProblems } from './bucket-sql.ts'

const settle = 'create or replace function credit_settle(p_account bigint) returns void language plpgsql as $$ begin'
const of = (text: string) =>
  bucketProblems({ 'tables.sql': 'create table credit_grants (id bigint)', 'part.sql': text })

test.each([
  [
    'delete from t where ctid = any (array(select ctid from t limit 5))',
    'uses ctid: a row has another one on another node, so name its key',
  ],
  [
    'create or replace trigger moved after insert on t for each row execute function f()',
    'has a trigger: do its work in the functions that write the table',
  ],
  [
    'create function f() returns trigger language plpgsql as $$',
    'has a trigger: do its work in the functions that write the table',
  ],
  ['select clock_timestamp() + offset_by from app_clock', 'reads the test clock: call app_now()'],
  [
    'create table t (account_id bigint references accounts (id))',
    'has a foreign key to accounts, which is not in the bucket',
  ],
  [
    'insert into t (n, a)\n  values (1, case when b then c else array(select 1) end)',
    'has a sub-select in VALUES: compute it into a variable first',
  ],
  [
    `${settle} perform 1; end $$;\nselect credit_settle(account_id) from credit_accounts`,
    'calls credit_settle over rows of a query: read the values first, then call it with each',
  ],
])('Citus refuses: %s', (text, problem) => {
  expect(of(text)).toEqual([`part.sql ${problem}`])
})

test.each([
  ['-- Never by ctid.\nselect 1'],
  ['create table t (grant_id bigint references credit_grants (id))'],
  ["insert into t values (1, f(2), '{}'); select 1"],
  ['select a, k.b from t, lateral (values (t.a), (-1)) k(b)'],
  [`${settle} perform credit_settle(p_account); end $$`],
  [`${settle} end $$;\nselect * from credit_settle(1)`],
])('Citus takes: %s', (text) => {
  expect(of(text)).toEqual([])
})

test('TypeScript calls functions of a bucket with values, never with columns', () => {
  const problems = (source: string) => callProblems({ 'server/a.ts': source }, ['credit_settle', 'credit_void'])
  expect(problems(`select credit_settle(\${accountId}, app_now()), credit_void($1, 5::bigint)`)).toEqual([])
  expect(problems("'select credit_void($1, null)'")).toEqual([])
  expect(problems('sql`select credit_settle(account_id, app_now()) from free`')).toEqual([
    'server/a.ts calls credit_settle over rows of a query: read the values first, then call it with each',
  ])
  expect(problems(`select credit_void(g.id, \${amount}) from credit_grants g`)).toHaveLength(1)
})
