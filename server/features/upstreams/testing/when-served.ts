import type { TestServer } from '../../../testing/harness.ts'

/** Runs `act`, which changes what is sold, and ends when the server serves it. */
export async function whenServed(server: TestServer, act: () => Promise<unknown>): Promise<void> {
  const served = new Promise<void>((done) => {
    const end = server.deps.tools.onChange(() => {
      end()
      done()
    })
  })
  await act()
  await served
}
