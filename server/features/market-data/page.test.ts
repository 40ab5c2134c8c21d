import { expect, test } from 'vitest'
import { pageOf } from './page.ts'

test('a page says which rows it has, counted from one', () => {
  const all = ['a', 'b', 'c', 'd', 'e']
  const first = pageOf(all, { limit: 2 }, 'v')
  expect(first.warnings).toEqual(['Rows 1 to 2 of 5. Continue with next_cursor, or raise limit.'])
  const second = pageOf(all, { limit: 2, cursor: first.paging.next_cursor! }, 'v')
  expect([second.rows, second.warnings]).toEqual([
    ['c', 'd'],
    ['Rows 3 to 4 of 5. Continue with next_cursor, or raise limit.'],
  ])
  const third = pageOf(all, { limit: 2, cursor: second.paging.next_cursor! }, 'v')
  expect([third.rows, third.warnings, third.paging.next_cursor]).toEqual([['e'], [], null])
})
