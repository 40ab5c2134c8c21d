import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../../db/embedded.ts'

/** silent: takes calls and never answers. slow: drips. lying: bodies are shorter or longer than their Content-Length. */
export type Manner = 'well' | 'silent' | 'slow' | 'lying'

/** An operator's own API on loopback, as a process of its own. */
export interface ProofUpstream {
  url: string
  /** Resolves when calls are answered in this manner. */
  answer: (manner: Manner) => Promise<void>
  /** kill -9, and a start at the same address. */
  crash: () => Promise<void>
  /** How often each order was carried out, by the idempotency key that the upstream got. */
  orders: () => Map<string, number>
  close: () => Promise<void>
}

export async function startUpstream(dir: string): Promise<ProofUpstream> {
  const port = await freePort()
  const file = join(dir, 'orders')
  writeFileSync(file, '')
  let child: ChildProcess
  const start = async (): Promise<void> => {
    child = fork(join(import.meta.dirname, 'answer-calls.ts'), [String(port), file], { execArgv: [] })
    await once(child, 'message')
  }
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  await start()
  return {
    url: `http://127.0.0.1:${port}`,
    async answer(manner) {
      const told = once(child, 'message')
      child.send(manner)
      await told
    },
    async crash() {
      await kill()
      await start()
    },
    orders() {
      const counts = new Map<string, number>()
      for (const key of readFileSync(file, 'utf8').split('\n').filter(Boolean))
        counts.set(key, (counts.get(key) ?? 0) + 1)
      return counts
    },
    close: kill,
  }
}
