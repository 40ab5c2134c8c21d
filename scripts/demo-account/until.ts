const WAIT_MS = 30_000

/** Waits until `holds`. Throws after 30 seconds. */
export async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + WAIT_MS; Date.now() < end; ) {
    if (await holds()) return
    await new Promise((done) => setTimeout(done, 200))
  }
  throw new Error(`Waited in vain until ${what}.`)
}
