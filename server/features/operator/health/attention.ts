import { type Selectable, sql } from 'kysely'
import type { z } from 'zod'
import type { finding } from '#contract/operator/health-routes.ts'
import type { AttentionFindings } from '../../../db/schema.gen.ts'
import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../http/errors.ts'
import type { OperatorContext } from '../console/context.ts'
import { runAct } from '../console/run-act.ts'
import { type Finding, readFindings } from './read-findings.ts'

type Known = Selectable<AttentionFindings>

/** What needs attention now; what somebody has acknowledged comes last, until it changes. */
export async function listAttention(deps: Deps): Promise<z.input<typeof finding>[]> {
  const [found, known] = await Promise.all([readFindings(deps), readKnown(deps)])
  const shown = found.map(({ mark, since, ...rest }) => {
    const row = known.get(rest.key)
    const acknowledged = row?.acknowledged_mark === mark ? row : undefined
    return {
      ...rest,
      since: (since ?? row?.since ?? new Date()).toISOString(),
      acknowledged: acknowledged
        ? { by: acknowledged.acknowledged_by!, at: acknowledged.acknowledged_at!.toISOString() }
        : null,
    }
  })
  return shown.sort((a, b) => Number(a.acknowledged !== null) - Number(b.acknowledged !== null))
}

async function readKnown({ db }: Pick<Deps, 'db'>): Promise<Map<string, Known>> {
  const rows = await db.kysely.selectFrom('attention_findings').selectAll().execute()
  return new Map(rows.map((row) => [row.key, row]))
}

/** Acknowledges a finding as it is now. Throws not_found when its cause is gone. */
export async function acknowledgeFinding(
  ctx: OperatorContext,
  { key, ...act }: { act_id: string; reason: string; key: string },
): Promise<void> {
  const found = (await readFindings(ctx.deps)).find((one) => one.key === key)
  if (!found) throw new AppError('not_found', 'This finding no longer exists. Reload the page.')
  await runAct(ctx, { ...act, action: 'attention.acknowledged', target: key }, async (tx) => {
    await sql`insert into attention_findings (key, mark, since, acknowledged_by, acknowledged_at, acknowledged_mark)
      values (${key}, ${found.mark}, coalesce(${found.since}::timestamptz, app_now()), ${ctx.operator.email}, app_now(), ${found.mark})
      on conflict (key) do update set acknowledged_by = excluded.acknowledged_by, acknowledged_at = excluded.acknowledged_at,
        acknowledged_mark = excluded.acknowledged_mark`.execute(tx)
    return { after: { finding: found.title } }
  })
}

/**
 * Remembers what needs attention, forgets what is over, and mails the owners each new finding once. Returns how many were mailed.
 */
export async function tellAttention(deps: Deps): Promise<number> {
  const { db, mail, config, log } = deps
  const found = await readFindings(deps)
  return db.kysely.transaction().execute(async (tx) => {
    // Two servers at once: one of them mails.
    await sql`select pg_advisory_xact_lock(hashtextextended('attention', 0))`.execute(tx)
    await sql`delete from attention_findings where key <> all (${found.map(({ key }) => key)}::text[])`.execute(tx)
    for (const { key, mark, since } of found)
      await sql`insert into attention_findings (key, mark, since) values (${key}, ${mark}, coalesce(${since}::timestamptz, app_now()))
        on conflict (key) do update set mark = excluded.mark`.execute(tx)
    const { rows: unsaid } = await sql<{ key: string }>`
      update attention_findings set mailed_at = app_now() where mailed_at is null and acknowledged_at is null returning key`.execute(
      tx,
    )
    const keys = new Set(unsaid.map(({ key }) => key))
    const fresh = found.filter(({ key }) => keys.has(key))
    if (fresh.length === 0 || !mail.enabled) return 0
    const owners = await tx.selectFrom('operators').select('email').where('role', '=', 'owner').execute()
    for (const { email } of owners)
      await mail
        .send(tx, { to: email, kind: 'attention', ...letterOf(fresh, config.PUBLIC_URL) })
        .catch((error: Error) => {
          if (error.name !== 'ZodError') throw error
          log.warn('an owner has no usable email address')
        })
    return fresh.length
  })
}

function letterOf(fresh: readonly Finding[], publicUrl: string) {
  const [first] = fresh
  return {
    subject: fresh.length === 1 ? first!.title : `${fresh.length} items need attention`,
    heading: fresh.length === 1 ? first!.title : `${fresh.length} items need attention`,
    paragraphs: fresh.map(({ title, detail, todo }) => `${title}. ${detail} ${todo}`),
    action: { label: 'Open the console', url: `${publicUrl}/login?next=/operator` },
    note: 'You received this email because you are an owner of this installation.',
  }
}
