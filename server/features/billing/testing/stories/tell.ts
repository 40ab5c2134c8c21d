import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { creditScenarios } from './credits.ts'
import { planScenarios, type Scenario } from './plans.ts'
import { replayAll } from './replay.ts'
import { startSandboxStage } from './sandbox-stage.ts'
import type { Stage, Weather } from './stage.ts'
import { openWorld } from './world.ts'

/** Every story by its title. */
export const stories: Record<string, Scenario> = { ...planScenarios, ...creditScenarios }

/**
 * The stories in one kind of weather, on the sandbox unless another stage is given. At the end of each the money adds up
 * (I3, I5, I8 and the ledger's own), and applying all events again in random order changes nothing (I6).
 */
export function tellStories(
  weather: Weather,
  { start = startSandboxStage, titles = Object.keys(stories), minutes = 2 } = {},
): void {
  describe(`with news ${weather}`, () => {
    let stage: Stage
    beforeAll(async () => {
      stage = await start()
    }, minutes * 60_000)
    afterAll(() => stage.close())

    for (const title of titles)
      test(title, { timeout: minutes * 60_000 }, async ({ skip }) => {
        const reason = stage.untold[title]
        if (reason !== undefined) skip(reason)
        const world = await openWorld(stage, weather)
        try {
          await stories[title]!(world)
          await world.settle()
          expect(await world.violations()).toEqual([])
          expect(await replayAll(world)).toEqual([])
        } finally {
          await stage.clear()
        }
      })
  })
}
