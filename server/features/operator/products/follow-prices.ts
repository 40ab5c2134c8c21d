import { sql } from 'kysely'
import type { Deps } from '../../../deps.ts'
import { toolPriceText } from '../../tools/listing/price-text.ts'
import type { ToolSnapshot } from '../../tools/registry.ts'

/** Notes what each tool costs from now on, whenever that changes, so that receipts can say by which price a call was charged. */
export function followPrices({ db, tools, log }: Pick<Deps, 'db' | 'tools' | 'log'>): { close: () => Promise<void> } {
  const note = async ({ all }: ToolSnapshot): Promise<void> => {
    const prices = all.map(({ id, tool }) => ({ tool_id: id, rule: tool.credits, text: toolPriceText(tool) }))
    await sql`
      insert into tool_prices (tool_id, rule, text)
      select p.tool_id, p.rule, p.text from jsonb_to_recordset(${JSON.stringify(prices)}::jsonb) p (tool_id smallint, rule jsonb, text text)
      left join lateral (select rule, text from tool_prices t where t.tool_id = p.tool_id order by since desc limit 1) l on true
      where (l.rule, l.text) is distinct from (p.rule, p.text) on conflict do nothing`.execute(db.kysely)
  }
  let last = Promise.resolve()
  const noteLater = (snapshot: ToolSnapshot): void => {
    last = last
      .then(() => note(snapshot))
      .catch((error: Error) => log.warn({ error: error.message }, 'could not note the prices of tools'))
  }
  noteLater(tools.current())
  const stop = tools.onChange(noteLater)
  return {
    async close() {
      stop()
      await last
    },
  }
}
