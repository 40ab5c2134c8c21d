import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import type { PeerReady } from './wire.ts'

const children: ChildProcess[] = []

/** Starts a file of this folder as a separate process, sends it `message` and resolves with its first answer. */
export function start<Reply = PeerReady>(file: string, message: object): Promise<Reply> {
  const child = fork(join(import.meta.dirname, file), {
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 2, 2, 'ipc'],
  })
  children.push(child)
  child.send(message)
  return new Promise((done, failed) => {
    child.once('message', (reply) => done(reply as Reply))
    child.once('error', failed)
    child.once('exit', (code) => failed(new Error(`${file} ended with code ${code}`)))
  })
}

/** Ends every process that `start` started, and waits for them. */
export async function stopAll(): Promise<void> {
  await Promise.all(children.filter((child) => child.exitCode === null).map(stop))
}

function stop(child: ChildProcess): Promise<void> {
  return new Promise((done) => {
    child.once('exit', () => done())
    if (child.connected) child.disconnect()
  })
}
