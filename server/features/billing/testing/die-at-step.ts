/** A worker for tests: applies waiting events and exits, as with kill -9, at the step named on its command line. */
import { compose } from '../../../compose.ts'
import { loadConfig } from '../../../config/config.ts'
import { processEvents } from '../events/process-events.ts'

const [step] = process.argv.slice(2)
const config = loadConfig(process.env)
const { deps, close } = await compose(config, config.DATABASE_URL ?? '', { sandboxTickMs: 0 })
await processEvents(deps, (name) => {
  if (name === step) process.kill(process.pid, 'SIGKILL')
})
await close()
