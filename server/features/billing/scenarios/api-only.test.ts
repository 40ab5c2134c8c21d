import { afterAll } from 'vitest'
import { startPeerProcess } from '#sandbox/stripe/testing/peer-process.ts'
import { createTestDatabase } from '#server/testing/harness.ts'
import { startApiStage } from '../testing/stories/api-stage.ts'
import { stories, tellStories } from '../testing/stories/tell.ts'

// The suite of test-mode.test.ts against the sandbox as a process of its own, reached over HTTP by nothing but Stripe's
// API.
const endings: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const end of endings.reverse()) await end()
})

tellStories('doubled and shuffled', {
  titles: Object.keys(stories),
  start: async () => {
    const database = await createTestDatabase()
    const peer = await startPeerProcess(database.url)
    endings.push(database.drop, peer.stop)
    return startApiStage({ key: 'sk_test_peer', url: peer.url })
  },
})
