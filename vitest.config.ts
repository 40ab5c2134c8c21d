import { configDefaults, defineConfig } from 'vitest/config'

/** Loads, and commands and servers started again and again: minutes, so only `npm test -- --all` runs them. */
const exhaustive = [
  'sandbox/stripe/pages/browser.test.ts',
  'server/cli/*.test.ts',
  'server/crash.test.ts',
  'server/features/auth/hosted.test.ts',
  'server/features/billing/killed.test.ts',
  'server/features/billing/scenarios/api-only.test.ts',
  'server/features/oauth/client-document.test.ts',
  'server/features/tools/mcp/load.test.ts',
  'server/mail/send-mail.test.ts',
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
