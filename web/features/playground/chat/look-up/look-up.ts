/** A match of the symbol search. */
export interface Listed {
  symbol: string
  name: string | null
  /** stock, index, crypto or series. */
  type: string
  first: string
  last: string
  /** The kinds of data, such as 'bars, statements'. */
  held: string
  /** From 1 for the symbol itself to 0.3 for a likely typo. */
  score: number
}

interface Table {
  columns: readonly string[]
  rows: readonly (readonly unknown[])[]
  /** Whether there are more rows. */
  truncated: boolean
}

/** The matches in a result of search_symbols. */
export function listedIn({ columns, rows }: Pick<Table, 'columns' | 'rows'>): Listed[] {
  const at = (row: readonly unknown[], column: string) => row[columns.indexOf(column)]
  const text = (value: unknown) => (typeof value === 'string' ? value : '')
  return rows.map((row) => ({
    symbol: text(at(row, 'symbol')),
    name: typeof at(row, 'name') === 'string' ? text(at(row, 'name')) : null,
    type: text(at(row, 'type')),
    first: text(at(row, 'first_date')),
    last: text(at(row, 'last_date')),
    held: text(at(row, 'held')),
    score: Number(at(row, 'score') ?? 0),
  }))
}

/** The dates of the yearly statements in a result of get_company. */
export function reportsIn(structured: unknown): string[] | null {
  const { statements } = (structured ?? {}) as { statements?: unknown }
  return Array.isArray(statements) ? statements.filter((one) => typeof one === 'string') : null
}

export interface LookUp {
  /** The matches for a symbol or words of a name, best first. Throws if the search fails. */
  search: (query: string) => Promise<Listed[]>
  /** The known matches without another search, or null. */
  known: (query: string) => Listed[] | null
  /** The dates of a company's yearly statements; null if the server does not say. */
  reports: (symbol: string) => Promise<readonly string[] | null>
}

/**
 * Symbol search that asks the server as little as possible, since each search is a recorded call: every query once, and
 * none that an earlier, complete response already covers.
 */
export function createLookUp(
  ask: (query: string) => Promise<Table>,
  reports: LookUp['reports'] = async () => null,
): LookUp {
  const asked = new Map<string, Promise<Listed[]>>()
  const answered = new Map<string, { found: Listed[]; complete: boolean }>()

  const known = (given: string): Listed[] | null => {
    const query = keyOf(given)
    const exact = answered.get(query)
    if (exact) return exact.found
    for (const [earlier, { found, complete }] of answered)
      if (complete && earlier.length > 1 && query.startsWith(earlier)) {
        const left = found.filter((one) => covers(one, query))
        // Aliases are not in the result, so an empty rest proves nothing.
        if (left.length > 0 || found.length === 0) return left
      }
    return null
  }

  return {
    known,
    reports,
    search(given) {
      const query = keyOf(given)
      const before = known(query)
      if (before) return Promise.resolve(before)
      const running = asked.get(query)
      if (running) return running
      const fresh = ask(query).then(
        (table) => {
          const found = listedIn(table)
          answered.set(query, { found, complete: !table.truncated })
          return found
        },
        (error) => {
          asked.delete(query)
          throw error
        },
      )
      asked.set(query, fresh)
      return fresh
    },
  }
}

const keyOf = (query: string) => query.trim().replace(/\s+/g, ' ').toLowerCase()

const covers = ({ symbol, name }: Listed, query: string): boolean => {
  const words = `${symbol} ${name ?? ''}`.toLowerCase()
  return symbol.toLowerCase().startsWith(query) || query.split(' ').every((part) => ` ${words}`.includes(` ${part}`))
}
