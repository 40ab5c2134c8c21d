import { sql } from 'kysely'
import { requireMigrated } from '../../db/migrate.ts'
import { readReplication } from '../../db/replication.ts'
import { livePlans } from '../../features/billing/plans/list-plans.ts'
import { checkInvariants } from '../../features/metering/invariants.ts'
import { listBuckets } from '../../features/operator/list-buckets.ts'
import { hasCustomers, servedShop } from '../../features/shop/store.ts'
import type { Connection } from '../connect.ts'
import { checkCitus } from './citus.ts'
import type { Report } from './report.ts'
import { checkSecret } from './secret.ts'
import { checkUpstreams } from './upstreams.ts'

/** `databaseUrl`: null for an embedded database, which is no cluster. */
type ServingConnection = Omit<Connection, 'databaseUrl'> & { databaseUrl: string | null }

/** Whether the database can serve. Changes nothing in it. */
export async function checkDatabase(connection: Connection, report: Report): Promise<void> {
  await checkContents(connection, report)
  await checkServing(connection, report)
}

/** Whether the database keeps what it commits, and what it offers can be served. Reads little. */
export async function checkServing(connection: ServingConnection, report: Report): Promise<void> {
  const { databaseUrl } = connection
  if (databaseUrl !== null) await checkCitus({ ...connection, databaseUrl }, report)
  await durability(connection, report)
  await replication(connection, report)
  await plans(connection, report)
  await checkUpstreams(connection, report)
}

/** In production, an installation without a name of its own shows customers the name and the demonstration of the software. */
export async function checkName({ db }: Pick<Connection, 'db'>, report: Report): Promise<void> {
  const served = await servedShop(db.kysely)
  if (served) return report.ok(`the shop is named ${served.stored.name}`)
  const home = (await hasCustomers(db.kysely))
    ? 'Customers see the demonstration shop of Finmeter.'
    : 'Its home page is the one for those who install Finmeter.'
  report.note(`this installation has no name of its own. ${home} Name it: npm run shop -- apply shop.yaml`)
}

/** Whether the data is consistent, independent of the server. */
export async function checkContents(connection: Connection, report: Report): Promise<void> {
  await requireMigrated(connection.db)
  report.ok('database answers, migrations are applied')
  await checkSecret(connection, report)
  const violations = await checkInvariants(connection.db)
  for (const violation of violations) report.wrong(`credits: ${JSON.stringify(violation)}`)
  if (violations.length === 0) report.ok('credits: every invariant holds')
  const { buckets, moves } = await listBuckets(connection.db)
  report.ok(buckets.length === 1 ? '1 bucket' : `${buckets.length} buckets`)
  for (const { publicId, to } of moves)
    report.note(
      `account ${publicId} is being moved; if the command was interrupted: npm run admin -- buckets move ${publicId} ${to}`,
    )
}

/** A charge must be durable before its response is sent; these two settings decide it. */
async function durability({ db }: Pick<Connection, 'db'>, report: Report): Promise<void> {
  for (const name of ['fsync', 'synchronous_commit']) {
    const { rows } = await sql<{ value: string }>`select current_setting(${name}) as value`.execute(db.kysely)
    const text = `${name} is ${rows[0]?.value}`
    if (rows[0]?.value === 'on' || rows[0]?.value === 'remote_apply') report.ok(text)
    else report.wrong(`${text}: charges can be lost in a power cut; set it to on`)
  }
}

async function replication({ db }: Pick<Connection, 'db'>, report: Report): Promise<void> {
  const { standbys, risk } = await readReplication(db)
  if (risk) report.note(risk)
  else if (standbys > 0) report.ok('commits wait for a synchronous standby')
}

/** A paid plan without credits gets 1,000 by rule, which its seller rarely means. */
async function plans({ db }: Pick<Connection, 'db'>, report: Report): Promise<void> {
  const catalog = await livePlans(db.kysely)
  const text = `${catalog.length} plans in the catalog`
  if (catalog.length > 0) report.ok(text)
  else report.wrong(text)
  for (const plan of catalog) {
    if (plan.reliesOnDefaultCredits)
      report.wrong(`plan ${plan.name} has no credits set and gets 1,000: set metadata.credits`)
  }
}
