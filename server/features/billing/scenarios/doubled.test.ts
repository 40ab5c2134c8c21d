import { tellStories } from '../testing/stories/tell.ts'

tellStories('doubled and shuffled')
