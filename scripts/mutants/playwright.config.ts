import base from '../../playwright.config.ts'

/** The tests of one fault: what it hides is not waited for as long as on a busy machine. */
export default {
  ...base,
  testDir: '../../e2e',
  testIgnore: [],
  outputDir: '../../test-results/mutants',
  expect: { timeout: 10_000 },
  timeout: 60_000,
  use: { ...base.use, actionTimeout: 15_000, trace: 'off' },
}
