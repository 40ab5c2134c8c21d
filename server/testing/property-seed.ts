import { vi } from 'vitest'

/**
 * Property tests draw the same examples in every run, so that a failure means a change. PROPERTY_SEED draws others;
 * `npm test -- --seed=random` picks a seed and prints it. Loaded only where a test needs fast-check.
 */
vi.mock('fast-check', async (original) => {
  const module = await original<typeof import('fast-check')>()
  module.default.configureGlobal({ seed: Number(process.env.PROPERTY_SEED || 1) })
  return module
})
