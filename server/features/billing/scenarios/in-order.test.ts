import { runStories } from '../testing/stories/run-stories.ts'

runStories('in order')
