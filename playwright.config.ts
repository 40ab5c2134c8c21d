import { defineConfig } from '@playwright/test'

/** Every state of every screen: many minutes, so only `npm test -- --all` runs them. */
const exhaustive = [
  'api-keys',
  'auth-hosted',
  'auth-mail',
  'auth-states',
  'billing-real',
  'billing-overview',
  'billing-states',
  'chart-view',
  'docs-home',
  'docs-site',
  'key-limits',
  'notices',
  'overview',
  'playground-chat',
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
  timeout: 60_000,
  expect: { timeout: 10_000 },
  fullyParallel: false,
  workers: 2,
  forbidOnly: Boolean(process.env.CI),
  retries: process.env.CI ? 1 : 0,
  use: { trace: 'retain-on-failure', viewport: { width: 1280, height: 800 } },
})
