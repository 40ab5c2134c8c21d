import packageJson from '../../../../package.json' with { type: 'json' }

/** How the server names itself in the handshake and in results. */
export const serverInfo = { name: 'finmeter', title: 'Finmeter', version: packageJson.version }

/** The tool list is the same for every key and changes only with a release, so clients and proxies may share it. */
export const LIST_CACHE = { ttlMs: 300_000, cacheScope: 'public' } as const

export const instructions = `Finmeter serves financial data. Each call costs the credits named in the tool's _meta; errors and empty answers cost nothing.
Start with search_symbols to find a symbol. Dates are YYYY-MM-DD.
Tables come as columns (named once) and rows (arrays in the same order); next_cursor, when not null, fetches the next page.
Ask for few columns and rows: limit, columns and range keep answers small.
_meta of each result tells credits charged, credits left and a receipt id. Send _meta["finmeter/idempotency-key"] to make a retry free.`
