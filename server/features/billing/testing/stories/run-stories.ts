import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { creditScenarios } from './credits.ts'
import { currencyScenarios } from './currencies.ts'
import { planScenarios, type Scenario } from './plans.ts'
import { replayAll } from './replay.ts'
import { startSandboxStage } from './sandbox-stage.ts'
import type { EventDelivery, Stage } from './stage.ts'
import { openWorld } from './world.ts'

/** Every story by its title. */
export const stories: Record<string, Scenario> = { ...planScenarios, ...creditScenarios, ...currencyScenarios }

/**
 * The stories that meet disordered and lost events in the whole set: every third, `from` one on. All are told in order there, where each
 * ends with all its events again; nightly, all are told in each weather.
 */
export const sample = (from: number, titles = Object.keys(stories)): string[] =>
  process.env.NIGHTLY ? titles : titles.filter((_, place) => place % 3 === from)

/**
 * Runs the stories with one kind of event delivery, on the sandbox unless another stage is given. Each ends by checking
 * that the money adds up (I3, I5, I8 and the ledger's invariants) and that applying all events again in random order
 * changes nothing (I6).
 */
export function runStories(
  delivery: EventDelivery,
  { start = (): Promise<Stage> => startSandboxStage(), told = stories, titles = Object.keys(told), minutes = 10 } = {},
): void {
  describe(`with events ${delivery}`, () => {
    let stage: Stage
    beforeAll(async () => {
      stage = await start()
    }, minutes * 60_000)
    afterAll(() => stage.close())

    for (const title of titles)
      test(title, { timeout: minutes * 60_000 }, async ({ skip }) => {
        const reason = stage.unsupported[title]
        if (reason !== undefined) skip(reason)
        const world = await openWorld(stage, delivery)
        try {
          await told[title]!(world)
          await world.settle()
          expect(await world.violations()).toEqual([])
          expect(await replayAll(world)).toEqual([])
        } finally {
          await stage.clear()
        }
      })
  })
}
