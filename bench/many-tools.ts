/**
 * The product with BENCH_TOOLS MCP tools: its own, and renamed copies of `get_quote`. Put together as in
 * server/main.ts, without jobs and metrics.
 */
import { buildApp } from '../server/app.ts'
import { compose } from '../server/compose.ts'
import { loadConfig } from '../server/config/config.ts'
import { startEmbedded } from '../server/db/embedded.ts'
import { getQuote } from '../server/features/market-data/tools/get-quote.ts'
import { createToolRegistry } from '../server/features/tools/registry.ts'
import { localSecrets } from '../server/secrets/secrets.ts'

const config = loadConfig(process.env)
const database = await startEmbedded(config.FINMETER_DATA_DIR, localSecrets(config).databasePassword)
const { deps, extensions, close } = await compose(config, database.connectionString)
const missing = Number(process.env.BENCH_TOOLS) - deps.tools.current().mcpTools.length
const copies = Array.from({ length: Math.max(0, missing) }, (_, n) => ({
  ...getQuote,
  name: `copy_${n}_of_get_quote`,
  rest: undefined,
}))
const tools = await createToolRegistry([...deps.tools.current().all.map(({ tool }) => tool), ...copies], deps.db)
const app = await buildApp({ ...deps, tools }, extensions)
await app.listen({ host: config.HOST, port: config.PORT })
process.stdout.write(`Finmeter ready at ${config.PUBLIC_URL}\n`)
process.once('SIGTERM', async () => {
  await app.close()
  await close()
  await database.stop()
  process.exit(0)
})
