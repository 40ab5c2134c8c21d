import type { CheckLine } from '#contract/operator/health-routes.ts'
import { checkAgentPayments } from '../../../cli/checks/agent-payments.ts'
import { checkName, checkServing } from '../../../cli/checks/database.ts'
import { checkPeers } from '../../../cli/checks/peers.ts'
import { checkSettings } from '../../../cli/checks/production-settings.ts'
import type { Report } from '../../../cli/checks/report.ts'
import { checkSecret } from '../../../cli/checks/secret.ts'
import { checkSender } from '../../../cli/checks/sender.ts'
import { checkTaxes } from '../../../cli/checks/taxes.ts'
import { isEmbedded } from '../../../cli/connect.ts'
import type { Deps } from '../../../deps.ts'
import { noteCheckRun } from './check-runs.ts'

const MOST_MS = 30_000

/**
 * The checks of `npm run doctor` in this server, without the invariants, which a nightly job checks. What has not answered after half
 * a minute is left out, and a line says so.
 */
export async function runDoctor(deps: Deps, mostMs = MOST_MS): Promise<CheckLine[]> {
  const lines: CheckLine[] = []
  const report = collect(lines)
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<'late'>((done) => {
    timer = setTimeout(() => done('late'), mostMs)
  })
  const ended = await Promise.race([check(deps, report), late]).finally(() => clearTimeout(timer))
  const found = [...lines]
  if (ended === 'late')
    found.push({
      level: 'note',
      text: `Some checks took longer than ${mostMs / 1_000} seconds. Run npm run doctor to see them.`,
    })
  await noteCheckRun(deps.db.kysely, 'doctor', found)
  return found
}

async function check(deps: Deps, report: Report): Promise<void> {
  const { config, db, secrets, shop } = deps
  const databaseUrl = isEmbedded(config) ? null : config.DATABASE_URL!
  const connection = { config, db, secrets, databaseUrl, close: async () => {} }
  const guarded = (work: Promise<unknown>) => work.catch((error: Error) => report.wrong(error.message))
  await Promise.all([
    guarded(checkSecret(connection, report)),
    guarded(checkServing(connection, report)),
    guarded(checkTaxes(deps, report)),
    guarded(checkAgentPayments(deps, report)),
  ])
  if (!config.production) return
  checkSettings(config, { NODE_ENV: config.NODE_ENV }, report)
  const { address } = shop.current().sender
  await Promise.all([
    guarded(checkName(connection, report)),
    guarded(checkPeers(config, report)),
    config.SMTP_URL && guarded(checkSender({ address, selector: config.MAIL_DKIM_SELECTOR }, report)),
  ])
}

/** A report whose lines are kept instead of printed. */
function collect(lines: CheckLine[]): Report {
  const add = (level: CheckLine['level']) => (text: string) => void lines.push({ level, text })
  const failures = () => lines.filter(({ level }) => level === 'wrong').length
  return { ok: add('ok'), wrong: add('wrong'), note: add('note'), failures }
}
