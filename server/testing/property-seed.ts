import { vi } from 'vitest'

/**
 * Property tests draw the same examples in every run, so that a change is what makes one fail. PROPERTY_SEED gives others;
 * `npm test -- --seed=random` draws one and prints it. Loaded only where a test asks for fast-check.
 */
vi.mock('fast-check', async (original) => {
  const module = await original<typeof import('fast-check')>()
  module.default.configureGlobal({ seed: Number(process.env.PROPERTY_SEED || 1) })
  return module
})
