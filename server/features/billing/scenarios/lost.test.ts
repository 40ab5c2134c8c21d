import { runStories, sample } from '../testing/stories/run-stories.ts'

runStories('lost, then reconciled', { titles: sample(2) })
