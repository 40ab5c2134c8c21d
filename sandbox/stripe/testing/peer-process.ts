import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { freePort } from '#server/db/embedded.ts'

export interface PeerProcess {
  url: string
  port: number
  /** Resolves to the exit code. */
  stop: () => Promise<number | null>
}

/** The sandbox as a separate process on `databaseUrl`; `words` are further command-line arguments. */
export async function startPeerProcess(databaseUrl: string, ...words: string[]): Promise<PeerProcess> {
  const port = await freePort()
  const script = fileURLToPath(new URL('../serve.ts', import.meta.url))
  const peer = spawn(process.execPath, [script, '--database-url', databaseUrl, '--port', String(port), ...words], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = new Promise<number | null>((resolve) => peer.once('exit', resolve))
  await new Promise<void>((resolve, reject) => {
    let seen = ''
    peer.stderr.on('data', (part) => {
      seen += part
      if (seen.includes('ready at')) resolve()
    })
    peer.once('exit', (code) => reject(new Error(`The peer ended with ${code}: ${seen}`)))
  })
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    stop: () => {
      peer.kill('SIGTERM')
      return ended
    },
  }
}
