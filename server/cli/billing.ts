/** The operator's command: npm run billing -- <act> ... */
import { parseArgs } from 'node:util'
import { compose } from '../compose.ts'
import { loadConfig } from '../config.ts'
import type { Deps } from '../deps.ts'
import { reconcile } from '../features/billing/reconcile.ts'
import { listDeadEvents, replayEvent } from '../features/billing/replay-events.ts'
import { seedCatalogue } from '../features/billing/stripe/seed-catalogue.ts'
import { prepareCatalogue, syncCatalogue } from '../features/billing/sync-catalogue.ts'
import { runCommand } from './connect.ts'

const usage = `npm run billing -- reconcile       compares with Stripe, repairs, and says what differed
npm run billing -- seed            makes the products, prices and meter at Stripe where they are missing
npm run billing -- events          lists the events that were given up
npm run billing -- replay <event>  applies an event once more`

type Act = (deps: Deps, words: string[]) => Promise<void>

const acts: Record<string, Act | undefined> = {
  async reconcile(deps) {
    await prepareCatalogue(deps)
    const { missedEvents, compared, repaired, violations } = await reconcile(deps)
    console.log(`${compared} objects compared, ${missedEvents} missed events, ${repaired.length} repaired.`)
    for (const line of repaired) console.log(`repaired   ${line}`)
    for (const line of violations) console.log(`VIOLATION  ${line}`)
    if (violations.length > 0) process.exitCode = 1
  },
  async seed(deps) {
    if (!deps.stripe) throw new Error('No payment provider is set up: set STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET.')
    await seedCatalogue(deps.stripe)
    console.log(`${await syncCatalogue(deps)} plans are offered.`)
  },
  async events({ db }) {
    const dead = await listDeadEvents(db)
    for (const { id, type, error } of dead) console.log(`${id}  ${type}  ${error ?? ''}`)
    console.log(dead.length === 0 ? 'No event was given up.' : 'npm run billing -- replay <event> tries one again.')
  },
  async replay(deps, [id]) {
    if (!id) throw new Error(usage)
    const error = await replayEvent(deps, id)
    if (error !== null) throw new Error(`The event failed again: ${error}`)
    console.log('The event is applied.')
  },
}

const { positionals } = parseArgs({ allowPositionals: true })
const [name, ...words] = positionals
const act = name ? acts[name] : undefined
if (act)
  await runCommand(async ({ databaseUrl }) => {
    const composition = await compose(loadConfig(process.env), databaseUrl, 0)
    await act(composition.deps, words).finally(composition.close)
  })
else {
  console.error(usage)
  process.exitCode = 2
}
