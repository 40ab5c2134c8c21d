import { runStories } from '../testing/stories/run-stories.ts'

runStories('duplicated and shuffled')
