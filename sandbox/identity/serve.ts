import { parseArgs } from 'node:util'
import Fastify from 'fastify'
import { registerSandboxIdentity } from './register.ts'

/**
 * The sandbox's Google and GitHub as a separate process, for setups that reach them over the network:
 * `node sandbox/identity/serve.ts --port 4243 --client-id <id> --client-secret <secret> --callback-url <url>`.
 * They are at /sandbox/identity/google and /sandbox/identity/github, on the loopback address only.
 */
const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '4243' },
    'client-id': { type: 'string', default: '' },
    'client-secret': { type: 'string', default: '' },
    'callback-url': { type: 'string', default: '' },
  },
})
const app = Fastify()
await registerSandboxIdentity(app, {
  publicUrl: `http://localhost:${values.port}`,
  clientId: values['client-id'],
  clientSecret: values['client-secret'],
  callbackUrl: values['callback-url'],
})
await app.listen({ port: Number(values.port), host: 'localhost' })
console.warn(`Identity sandbox ready at http://localhost:${values.port}`)
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => app.close())
