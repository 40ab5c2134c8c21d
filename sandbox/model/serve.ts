import { parseArgs } from 'node:util'
import { startSandboxModel } from './start-model.ts'

/**
 * A stand-in for a language model as a separate process, to try chat with a model without an account:
 * `node sandbox/model/serve.ts`, then start the product with CHAT_MODEL_URL, CHAT_MODEL and CHAT_MODEL_KEY as printed.
 */
const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '4244' },
    key: { type: 'string', default: 'sandbox' },
    model: { type: 'string', default: 'sandbox-model' },
  },
})
const { key, model } = values
const { url, close } = await startSandboxModel({ key, model, port: Number(values.port) })
console.warn(`Model sandbox ready: CHAT_MODEL_URL=${url} CHAT_MODEL=${model} CHAT_MODEL_KEY=${key}`)
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void close())
