import type { FastifyInstance } from 'fastify'
import { operatorRoutes } from '#contract/operator/routes.ts'
import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../http/errors.ts'
import { applyShop, undoShop } from '../../shop/apply.ts'
import { confirmSender, sendSenderCode } from '../../shop/confirm-sender.ts'
import { shownSettings } from '../../shop/export-shop.ts'
import { ShopProblems } from '../../shop/prepare-shop.ts'
import { changeShop, servedShop } from '../../shop/store.ts'
import { refusing, requireServed } from '../console/refuse.ts'
import { runAct } from '../console/run-act.ts'
import { serveOperator } from '../console/serve.ts'
import { checkDraft, prepareDraft } from './prepare-draft.ts'
import { sendsMail, showShop } from './show-shop.ts'

const routes = operatorRoutes

/** How the installation names itself, by the same verbs as `npm run shop`. */
export function registerOperatorShop(app: FastifyInstance, deps: Deps): void {
  const { config, secrets } = deps
  serveOperator(app, deps, routes.getShop, () => showShop(deps))
  serveOperator(app, deps, routes.checkShop, ({ input: { body } }) => checkDraft(deps, body))

  serveOperator(app, deps, routes.applyShop, async ({ ctx, input: { body } }) => {
    const { act_id, reason, version, ...draft } = body
    const prepared = await refusingProblems(() => prepareDraft(deps, draft))
    let sent = false
    await runAct(ctx, { act_id, reason, action: 'shop.applied' }, (tx) =>
      changeShop(tx, async () => {
        const served = await servedShop(tx)
        if ((served?.version ?? 0) !== version)
          throw new AppError(
            'conflict',
            `Another operator applied version ${served?.version ?? 0} after you opened this page. Reload the page to see it, then make your changes again.`,
          )
        const next = await applyShop(tx, prepared, async () => {
          if (sendsMail(config))
            sent = await sendSenderCode(tx, { secrets, publicUrl: config.PUBLIC_URL }, prepared.stored)
        })
        return {
          ...(served && { before: { version, ...shownSettings(served.stored) } }),
          after: { version: next, ...shownSettings(prepared.stored) },
        }
      }),
    )
    return { shop: await showShop(deps), sent }
  })

  serveOperator(app, deps, routes.undoShop, async ({ ctx, input: { body } }) => {
    const { version: undone, ...act } = body
    await runAct(ctx, { ...act, action: 'shop.undone' }, (tx) =>
      changeShop(tx, async () => {
        requireServed(undone, (await servedShop(tx))?.version ?? 0)
        const version = await refusing('conflict', () => undoShop(tx))
        return { before: { version: undone }, after: { version: version ?? 0 } }
      }),
    )
    return { shop: await showShop(deps) }
  })

  serveOperator(app, deps, routes.confirmSender, async ({ ctx, input: { body } }) => {
    const { code, ...given } = body
    await runAct(ctx, { ...given, action: 'shop.sender_confirmed' }, async (tx) => ({
      after: { sender: await refusing('invalid_parameter', () => confirmSender(tx, code)) },
    }))
    return { shop: await showShop(deps) }
  })
}

async function refusingProblems<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ShopProblems)
      throw new AppError('invalid_parameter', error.message, { param: error.problems[0]!.key ?? 'settings' })
    throw error
  }
}
