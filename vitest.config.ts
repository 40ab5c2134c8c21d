import { configDefaults, defineConfig } from 'vitest/config'

/** Half a minute and more each, of loads and of commands started again and again: only `npm test -- --all` runs them. */
const exhaustive = [
  'sandbox/stripe/pages/browser.test.ts',
  'server/cli/billing.test.ts',
  'server/cli/signing-keys.test.ts',
  'server/features/billing/killed.test.ts',
  'server/features/billing/scenarios/api-only.test.ts',
  'server/features/tools/mcp/load.test.ts',
]

export default defineConfig({
  test: {
    exclude: [...configDefaults.exclude, ...(process.env.ALL_TESTS ? [] : exhaustive)],
    include: [
      'contract/**/*.test.ts',
      'server/**/*.test.ts',
      'sandbox/**/*.test.ts',
      'scripts/**/*.test.ts',
      'web/**/*.test.ts',
    ],
    globalSetup: ['server/testing/global-setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    // CI's machine is shared and noisy; `npm test` names what passed only when repeated.
    retry: process.env.CI ? 1 : 0,
  },
})
