import { defineConfig } from '@playwright/test'

/** The main journeys. Every state of every screen takes many minutes: only CI and `npm test -- --all` run the others. */
const quick = [
  'auth-sign-in',
  'billing-flows',
  'first-key',
  'first-run',
  'home',
  'keyboard',
  'keys',
  'login-callback',
  'overview-start',
  'plan-cards',
  'playground-connect',
]

export default defineConfig({
  testDir: 'e2e',
  testMatch: process.env.ALL_TESTS ? '**/*.spec.ts' : quick.map((name) => `**/${name}.spec.ts`),
  outputDir: 'test-results',
  // Limits, not paces: a machine whose cores are all busy takes many times as long.
  timeout: 240_000,
  expect: { timeout: 60_000 },
  fullyParallel: false,
  // More than the cores of a small machine: a page that waits leaves its core to another.
  workers: 5,
  forbidOnly: Boolean(process.env.CI),
  // A fault that breaks every test must not use up CI's time before it can say so.
  maxFailures: process.env.CI ? 20 : 0,
  // A film of every test would cost a quarter of the processor time.
  use: {
    trace: { mode: 'retain-on-failure', screenshots: false, snapshots: false, sources: false },
    viewport: { width: 1280, height: 800 },
  },
})
