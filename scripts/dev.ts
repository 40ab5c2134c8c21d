/** Server with restart on change, and the web rebuilt on change; one address, as in production. */
import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'

// A server renderer from an earlier build would not match the rebuilt scripts.
rmSync('dist/ssr', { recursive: true, force: true })

const children = [
  spawn(process.execPath, ['--watch-path=server', '--watch-path=contract', '--watch-path=sandbox', 'server/main.ts'], {
    stdio: 'inherit',
  }),
  spawn('vite', ['build', '--watch', '--mode', 'development'], { stdio: 'inherit' }),
]
const stop = () => {
  for (const child of children) child.kill('SIGINT')
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop)
for (const child of children) child.on('exit', stop)
