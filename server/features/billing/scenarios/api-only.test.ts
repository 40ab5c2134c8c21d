import { afterAll } from 'vitest'
import { startPeerProcess } from '#sandbox/stripe/testing/peer-process.ts'
import { createTestDatabase } from '#server/testing/harness.ts'
import { startApiStage } from '../testing/stories/api-stage.ts'
import { runStories, stories } from '../testing/stories/run-stories.ts'

// The suite of test-mode.test.ts against the sandbox in a separate process, reached only through Stripe's HTTP API.
const endings: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const end of endings.reverse()) await end()
})

runStories('duplicated and shuffled', {
  // By day, what shows that the stories need nothing but the API: doubled.test.ts tells them all.
  titles: Object.keys(stories).filter((_, at) => process.env.NIGHTLY || at % 4 === 0),
  start: async () => {
    const database = await createTestDatabase()
    const peer = await startPeerProcess(database.url)
    endings.push(database.drop, peer.stop)
    return startApiStage({ key: 'sk_test_peer', url: peer.url })
  },
})
