import { run, type TaskList, Logger as WorkerLogger } from 'graphile-worker'
import type { Deps } from './deps.ts'
import { renewFreePlans } from './features/billing/renew-free-plans.ts'
import { settleAccounts } from './features/credits/settle.ts'
import { forgetOldCommits } from './features/metering/forget.ts'
import { checkInvariants } from './features/metering/invariants.ts'
import { keepPartitions } from './features/metering/partitions.ts'
import { compactUsage } from './features/usage/compact.ts'

/** When each job runs (UTC); whatever was missed while nothing ran is made up once at start where `fill` says so. */
const crontab = `
* * * * *    settle
*/5 * * * *  renew_free_plans ?fill=1d
7 * * * *    keep_partitions ?fill=1d
17 * * * *   forget_old_commits
47 4 * * *   compact_usage ?fill=1d
33 3 * * *   check_invariants
`

/** Recurring work, through the database: any number of instances run each job once. Returns the way to stop. */
export async function startJobs(deps: Deps): Promise<{ stop: () => Promise<void> }> {
  const tasks: TaskList = {
    settle: async () => void (await settleAccounts(deps.db)),
    renew_free_plans: async () => void (await renewFreePlans(deps)),
    keep_partitions: async () => void (await keepPartitions(deps.db)),
    compact_usage: async () => void (await compactUsage(deps.db)),
    forget_old_commits: async () => void (await forgetOldCommits(deps.db)),
    check_invariants: async () => {
      const violations = await checkInvariants(deps.db)
      if (violations.length > 0) deps.log.fatal({ violations }, 'credit invariants are violated')
    },
  }
  const runner = await run({
    pgPool: deps.db.pool,
    taskList: tasks,
    crontab,
    concurrency: 2,
    noHandleSignals: true,
    logger: new WorkerLogger(() => (level, message) => {
      if (level === 'error' || level === 'warning') deps.log.warn({ job: message }, 'jobs')
    }),
  })
  return { stop: () => runner.stop() }
}
