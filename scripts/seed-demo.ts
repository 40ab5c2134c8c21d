/**
 * npm run seed:demo: fills demo@example.com with 90 days of use, for development. Uses the Finmeter that runs at
 * PUBLIC_URL, or starts one temporarily. To look at the result, sign in with that address through the sandbox.
 */

import { connect } from '#server/cli/connect.ts'
import { loadConfig } from '#server/config/config.ts'
import { startServerProcess } from '#server/testing/process.ts'
import { fillDemoAccount } from './demo-account/fill.ts'

const EMAIL = 'demo@example.com'

const config = loadConfig(process.env)
if (config.production || !config.sandbox) {
  console.error('seed:demo is for development: it needs the sandbox (SANDBOX=on) and refuses NODE_ENV=production.')
  process.exit(1)
}
const url = config.PUBLIC_URL
const running = await fetch(`${url}/healthz`).then(
  (answer) => answer.ok,
  () => false,
)
const server = running ? null : startServerProcess(process.env)
try {
  await server?.ready
  const { db, close } = await connect(process.env)
  try {
    const { calls } = await fillDemoAccount(url, db, EMAIL)
    console.log(`${EMAIL} has keys, a plan, a team and ${calls} calls of 90 days. Sign in with this address.`)
  } finally {
    await close()
  }
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
} finally {
  await server?.stop()
}
