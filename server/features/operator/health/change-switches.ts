import type { z } from 'zod'
import type { healthRoutes } from '#contract/operator/health-routes.ts'
import { isPlainLine } from '#contract/operator/route.ts'
import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../http/errors.ts'
import { bannerSetting, readSwitches, type SwitchName, type SwitchRow, setSwitch } from '../../switches/switches.ts'
import type { OperatorContext } from '../console/context.ts'
import { runAct } from '../console/run-act.ts'

const MOST_BANNER_DAYS = 30

interface Act {
  act_id: string
  reason: string
}

/** What is stopped or announced. An upstream is stopped by its pause. */
export async function listSwitches({ db }: Deps): Promise<z.input<typeof healthRoutes.getSwitches.data>> {
  const [rows, upstreams] = await Promise.all([
    readSwitches(db.kysely),
    db.kysely
      .selectFrom('upstreams')
      .select(['id', 'state'])
      .where('published', 'is not', null)
      .orderBy('id')
      .execute(),
  ])
  const find = (name: SwitchName) => rows.find((one) => one.name === name)
  const banner = find('banner')
  const shown = bannerSetting.safeParse(banner?.setting).data
  return {
    sales: stateOf(find('sales')),
    banner: banner && shown ? { ...stateOf(banner)!, ...shown, over: Date.parse(shown.until) <= Date.now() } : null,
    upstreams: upstreams.map(({ id, state }) => ({ id, paused: state === 'paused' })),
  }
}

function stateOf(row: SwitchRow | undefined) {
  return row ? { set_by: row.setBy, set_at: row.setAt.toISOString(), reason: row.reason } : null
}

/** Stops or resumes every sale. A page of the payment provider that is open already can still be paid. */
export async function setSales(ctx: OperatorContext, { stopped, ...act }: Act & { stopped: boolean }): Promise<void> {
  await change(ctx, act, {
    name: 'sales',
    action: stopped ? 'sales.stopped' : 'sales.resumed',
    setting: stopped ? {} : null,
  })
}

/** Shows a text to everybody until a time, or takes it away. Throws invalid_parameter for a time that is over or far away. */
export async function setBanner(
  ctx: OperatorContext,
  { banner, ...act }: Act & { banner: { text: string; until: string } | null },
): Promise<void> {
  if (banner) {
    const leftMs = Date.parse(banner.until) - Date.now()
    if (leftMs <= 0 || leftMs > MOST_BANNER_DAYS * 86_400_000)
      throw new AppError('invalid_parameter', `until: choose a time within the next ${MOST_BANNER_DAYS} days.`, {
        param: 'until',
      })
    if (!isPlainLine(banner.text))
      throw new AppError('invalid_parameter', 'text: enter one line without hidden characters.', { param: 'text' })
  }
  await change(ctx, act, { name: 'banner', action: banner ? 'banner.shown' : 'banner.removed', setting: banner })
}

async function change(
  ctx: OperatorContext,
  act: Act,
  { name, action, setting }: { name: SwitchName; action: string; setting: Parameters<typeof setSwitch>[2] },
): Promise<void> {
  await runAct(ctx, { ...act, action, target: name }, async (tx) => {
    const before = await setSwitch(tx, name, setting, { setBy: ctx.operator.email, reason: act.reason })
    const side = (value: unknown) => ({ on: value !== null, ...(value as object | null) })
    return { before: side(before), after: side(setting) }
  })
}
