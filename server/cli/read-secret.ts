import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'

/** A secret from standard input, without the line break at its end; on a terminal it is asked for, and what is typed is not shown. */
export async function readSecretInput(question: string): Promise<string> {
  if (!process.stdin.isTTY) return (await text(process.stdin)).replace(/\r?\n$/, '')
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: unseen, terminal: true })
  const stopped = new AbortController()
  lines.on('SIGINT', () => stopped.abort())
  process.stderr.write(question)
  try {
    return await lines.question('', { signal: stopped.signal })
  } finally {
    lines.close()
    process.stderr.write('\n')
  }
}
