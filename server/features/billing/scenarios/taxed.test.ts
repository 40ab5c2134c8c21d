import { runStories, sample } from '../testing/stories/run-stories.ts'
import { startTaxedStage, taxScenarios } from '../testing/stories/taxes.ts'

const told = { start: startTaxedStage, told: taxScenarios }
const titles = Object.keys(taxScenarios)

runStories('in order', told)
if (process.env.ALL_TESTS) {
  runStories('duplicated and shuffled', { ...told, titles: sample(1, titles) })
  runStories('lost, then reconciled', { ...told, titles: sample(2, titles) })
}
