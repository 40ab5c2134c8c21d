import { expect, test } from 'vitest'
import { currentPage } from './navigation.ts'

test.each([
  ['/', '/dashboard'],
  ['/dashboard/', '/dashboard'],
  ['/dashboard/api-keys/', '/dashboard/api-keys'],
  ['/dashboard/api-keys/some-id', '/dashboard/api-keys'],
  ['/dashboard/settings/', '/dashboard/settings'],
  ['/dashboard/settings/team', '/dashboard/settings/team'],
  ['/dashboard/settings/audit-log', '/dashboard/settings'],
  ['/dashboard/settings/security', '/dashboard/settings'],
  ['/dashboard/spreadsheets', '/dashboard/spreadsheets'],
  ['/dashboard/api-keysmith', undefined],
  ['/dashboard/elsewhere', undefined],
])('%s highlights %s', (path, to) => {
  expect(currentPage(path)).toBe(to)
})
