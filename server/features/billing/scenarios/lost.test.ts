import { runStories } from '../testing/stories/run-stories.ts'

runStories('lost, then reconciled')
