import { expect, test } from 'vitest'
import { featureCircles } from './feature-circles.ts'

const module = (source: string, ...imports: string[]) => ({
  source,
  dependencies: imports.map((resolved) => ({ resolved })),
})

test('a ladder of features has no circle', () => {
  expect(
    featureCircles([
      module('server/features/billing/plans/list.ts', 'server/features/keys/find.ts', 'server/http/errors.ts'),
      module('server/features/keys/find.ts', 'server/features/account/profile.ts'),
      module('web/features/billing/page.tsx', 'web/features/keys/table.tsx'),
    ]),
  ).toEqual([])
})

test('a circle over three features is named once, with its imports', () => {
  expect(
    featureCircles([
      module('server/features/billing/plans/list.ts', 'server/features/keys/find.ts'),
      module('server/features/keys/find.ts', 'server/features/usage/sums.ts'),
      module('server/features/usage/sums.ts', 'server/features/billing/period.ts'),
    ]),
  ).toEqual([
    `features import each other in a circle: billing -> keys -> usage -> billing
  server/features/billing/plans/list.ts imports server/features/keys/find.ts
  server/features/keys/find.ts imports server/features/usage/sums.ts
  server/features/usage/sums.ts imports server/features/billing/period.ts`,
  ])
})

test('tests may import what they like', () => {
  expect(
    featureCircles([
      module('server/features/keys/find.test.ts', 'server/features/usage/sums.ts'),
      module('server/features/keys/testing/keys.ts', 'server/features/usage/sums.ts'),
      module('server/features/usage/sums.ts', 'server/features/keys/find.ts'),
    ]),
  ).toEqual([])
})
