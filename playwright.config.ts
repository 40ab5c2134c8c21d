import { defineConfig } from '@playwright/test'

/** Every state of every screen: many minutes, so only CI and `npm test -- --all` run them. */
const exhaustive = [
  'auth-hosted',
  'auth-mail',
  'auth-states',
  'billing-real',
  'billing-states',
  'chart-view',
  'docs-home',
  'docs-site',
  'key-limits',
  'named-shop',
  'notices',
  'overview',
  'overview-shift',
  'playground-chat',
  'playground-conversation',
  'playground-model',
  'playground-states',
  'playground-tabs',
  'public-content',
  'public-settings',
  'resilience',
  'shell',
  'team',
]

export default defineConfig({
  testDir: 'e2e',
  testMatch: '**/*.spec.ts',
  testIgnore: process.env.ALL_TESTS ? [] : exhaustive.map((name) => `**/${name}.spec.ts`),
  outputDir: 'test-results',
  // Limits, not paces: a machine whose cores are all busy takes many times as long.
  timeout: 120_000,
  expect: { timeout: 30_000 },
  fullyParallel: false,
  workers: 3,
  forbidOnly: Boolean(process.env.CI),
  // A fault that breaks every test must not use up CI's time before it can say so.
  maxFailures: process.env.CI ? 20 : 0,
  // A film of every test would cost a quarter of the processor time.
  use: {
    trace: { mode: 'retain-on-failure', screenshots: false, snapshots: false, sources: false },
    viewport: { width: 1280, height: 800 },
  },
})
