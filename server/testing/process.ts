import { type ChildProcess, spawn } from 'node:child_process'
import { programFile } from './program.ts'

export interface ServerProcess {
  child: ChildProcess
  /** Resolves with the ready line; rejects with the output when the process ends before. */
  ready: Promise<string>
  /** Resolves with exit code and everything printed. */
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null; output: string }>
  stop: () => Promise<void>
}

/**
 * The product as its own process, as `npm start` runs it, or that of another folder. `env` replaces every Finmeter
 * variable of this process.
 */
export function startServerProcess(env: NodeJS.ProcessEnv, file = programFile('main')): ServerProcess {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env
  const child = spawn(process.execPath, [file], {
    env: { PATH, HOME, NODE_COMPILE_CACHE, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  let announce: (line: string) => void
  let fail: (error: Error) => void
  const ready = new Promise<string>((done, failed) => {
    announce = done
    fail = failed
  })
  ready.catch(() => {})
  const collect = (chunk: Buffer) => {
    output += chunk.toString()
    const line = /^Finmeter ready at .*$/m.exec(output)
    if (line) announce(line[0])
  }
  child.stdout.on('data', collect)
  child.stderr.on('data', collect)
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null; output: string }>((done) => {
    child.on('close', (code, signal) => {
      fail(new Error(`the server ended with code ${code}: ${output}`))
      done({ code, signal, output })
    })
  })
  return {
    child,
    ready,
    ended,
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}
