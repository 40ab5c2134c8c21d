import { runInNewContext } from 'node:vm'
import type { TableSource } from '../dataset.ts'

interface Currency {
  code: string
  digits: number
  currency: string
}

/** ISO 4217, as of the date that the package names. */
export const currencies: TableSource = {
  id: 'currencies',
  name: 'Currencies of ISO 4217',
  dates: 3,
  manifest: { kind: 'currencies' },
  header: ['code', 'name', 'digits', 'updated'],
  notes: [],
  sources: [{ package: 'currencies', path: 'data.js', publisher: 'ISO 4217 Maintenance Agency, list one' }],
  read([text]) {
    const updated = /updated (\d{4}-\d{2}-\d{2})/.exec(text!)?.[1]
    const context = { module: { exports: [] as Currency[] } }
    runInNewContext(text!, context)
    return context.module.exports.map(({ code, currency, digits }) => [code, currency, digits, updated!])
  },
}
