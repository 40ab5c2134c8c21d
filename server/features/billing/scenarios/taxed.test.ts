import { runStories } from '../testing/stories/run-stories.ts'
import { startTaxedStage, taxScenarios } from '../testing/stories/taxes.ts'

const weathers = ['in order', 'duplicated and shuffled', 'lost, then reconciled'] as const

for (const delivery of process.env.ALL_TESTS ? weathers : weathers.slice(0, 1))
  runStories(delivery, { start: startTaxedStage, told: taxScenarios })
