/** The operator's command: npm run billing -- <act> ... */
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
  async replay(deps, [id = '']) {
    const error = await replayEvent(deps, id)
    if (error !== null) throw new Error(`The event failed again: ${error}`)
    console.log('The event is applied.')
  },
}

const chosen = readWords(process.argv.slice(2))
if (chosen)
  await runCommand(async ({ databaseUrl }) => {
    const composition = await compose(loadConfig(process.env), databaseUrl, 0)
    await chosen.act(composition.deps, chosen.words).finally(composition.close)
  })
else {
  console.error(usage)
  process.exitCode = 2
}

/** The act and its words; null where there is no such act, or words are missing or too many. */
function readWords(given: string[]): { act: Act; words: string[] } | null {
  const [name = '', ...words] = given
  const act = Object.hasOwn(acts, name) ? acts[name] : undefined
  const wanted = name === 'replay' ? 1 : 0
  return act && words.length === wanted && !words.some((word) => word.startsWith('-')) ? { act, words } : null
}
