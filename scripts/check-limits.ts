/** Registers every route without a database, so that one without a row in server/http/limits/table.ts fails at once. */
import { pino } from 'pino'
import { buildApp } from '../server/app.ts'
import { loadConfig } from '../server/config/config.ts'
import type { Deps } from '../server/deps.ts'
import { unnamedShop } from '../server/features/shop/shop.ts'
import { createLimits } from '../server/http/limits/limits.ts'

const config = loadConfig({ SANDBOX: 'off' })
/** A placeholder for dependencies that registration only passes on and never uses. */
const absent: unknown = new Proxy(() => absent, { get: (_target, name) => (name === 'then' ? undefined : absent) })
const deps = new Proxy(
  {
    config,
    limits: createLimits(config),
    log: pino({ level: 'silent' }),
    shop: { current: () => unnamedShop(config), onChange: () => {} },
  } as unknown as Deps,
  {
    get: (target, name) => (name in target ? target[name as keyof Deps] : absent),
  },
)
const app = await buildApp(deps)
await app.ready()
console.log('every route has its limits')
