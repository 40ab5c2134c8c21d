import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestServer } from '#server/testing/harness.ts'
import { creditScenarios } from './credits.ts'
import { planScenarios } from './plans.ts'
import { replayAll } from './replay.ts'
import { openWorld, startScenarioServer, type Weather } from './world.ts'

/**
 * Every story in one kind of weather. At its end the money adds up (I3, I5, I8 and the ledger's own), and applying all
 * events again in random order changes nothing (I6).
 */
export function tellStories(weather: Weather): void {
  describe(`with news ${weather}`, () => {
    let server: TestServer
    beforeAll(async () => {
      server = await startScenarioServer()
    })
    afterAll(() => server.close())

    const stories = Object.entries({ ...planScenarios, ...creditScenarios })
    test.each(stories)('%s', { timeout: 120_000 }, async (_name, story) => {
      const world = await openWorld(server, weather)
      await story(world)
      await world.settle()
      expect(await world.violations()).toEqual([])
      expect(await replayAll(world)).toEqual([])
    })
  })
}
