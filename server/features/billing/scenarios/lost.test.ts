import { tellStories } from '../testing/stories/tell.ts'

tellStories('lost, then reconciled')
