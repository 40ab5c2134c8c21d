import { afterAll, onTestFinished } from 'vitest'

/** Runs `end` after the test that asks for it or, outside of tests, after the last test of the file. */
export function afterTests(end: () => unknown): void {
  const last = async () => void (await end())
  try {
    onTestFinished(last)
  } catch {
    // Outside of tests. (The state of `expect` still names the last test of the file that ran before in this process.)
    afterAll(last)
  }
}

/** Closes what is being started, as `afterTests` does. */
export async function closeAfterTests<T extends { close: () => unknown }>(starting: Promise<T>): Promise<T> {
  const started = await starting
  afterTests(() => started.close())
  return started
}
