import { runStories, sample } from '../testing/stories/run-stories.ts'

runStories('duplicated and shuffled', { titles: sample(1) })
