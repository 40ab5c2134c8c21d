import { tellStories } from '../testing/stories/tell.ts'

tellStories('in order')
