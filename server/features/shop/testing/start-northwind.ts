import { spawn } from 'node:child_process'
import { join } from 'node:path'

const script = join(import.meta.dirname, '../../../../examples/northwind-weather.ts')

/** examples/northwind-weather.ts as anybody runs it. `open` resolves with what it printed, when the shop is open or it has ended. */
export function startNorthwind(folder: string, port: number) {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env
  const child = spawn(process.execPath, [script, '--folder', folder, '--port', String(port)], {
    env: { PATH, HOME, NODE_COMPILE_CACHE },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const ended = new Promise<number | null>((done) => child.once('exit', done))
  const open = new Promise<string>((done) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        output += chunk
        if (output.includes('is open at')) done(output)
      })
    // Not `exit`: what it printed may still be unread then.
    child.once('close', () => done(output))
  })
  return {
    open,
    /** Its exit code. */
    async stop(): Promise<number | null> {
      child.kill('SIGTERM')
      return ended
    },
  }
}
