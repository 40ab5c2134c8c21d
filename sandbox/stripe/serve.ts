import { parseArgs } from 'node:util'
import Fastify from 'fastify'
import { createStripeSandbox } from './sandbox.ts'

/**
 * The sandbox as a separate process, for setups that reach Stripe over the network:
 * `node sandbox/stripe/serve.ts --database-url <url> --port 4242 --public-url http://localhost:4242 [--webhook-url <url> --webhook-secret <secret>]`.
 * The API is at /v1, the pages at /sandbox, on the loopback address only.
 */
const { values } = parseArgs({
  options: {
    'database-url': { type: 'string' },
    port: { type: 'string', default: '4242' },
    'public-url': { type: 'string' },
    'webhook-url': { type: 'string' },
    'webhook-secret': { type: 'string' },
  },
})
if (!values['database-url']) throw new Error('--database-url is needed')
const sandbox = await createStripeSandbox({
  connectionString: values['database-url'],
  publicUrl: values['public-url'] ?? `http://localhost:${values.port}`,
  webhookUrl: values['webhook-url'],
  webhookSecret: values['webhook-secret'],
  onError: (error) => console.error(error instanceof Error ? error.message : 'unknown error'),
})
const app = Fastify()
await app.register(sandbox.api)
await app.register(sandbox.routes)
await app.listen({ port: Number(values.port), host: '127.0.0.1' })
console.warn(`Stripe sandbox ready at http://127.0.0.1:${values.port}`)

async function stop(): Promise<void> {
  await app.close()
  await sandbox.stop()
}
process.once('SIGTERM', stop)
process.once('SIGINT', stop)
