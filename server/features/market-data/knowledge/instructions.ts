/** Whether a tool is served. */
export type Serves = (name: string) => boolean

const named = (names: readonly string[], serves: Serves): string => names.filter(serves).join(', ')

/**
 * Sent once to every agent that connects; `hasTables`: tools that return rows are served. At most 120 words; a test counts them and the
 * tools that it names.
 */
export function writeInstructions(serves: Serves, hasTables: boolean): string {
  const lists = named(['search_symbols', 'list_datasets'], serves)
  const cheaper = named(['summarize_prices', 'get_quote'], serves).replace(', ', ' or ')
  return [
    hasTables
      ? 'Market data, metered in credits: errors and empty answers are free; get_usage shows the remaining credits.'
      : 'Calls are metered in credits: errors are free; get_usage shows the remaining credits.',
    lists && `To see what is available: ${lists}.`,
    hasTables &&
      'Much may be historical: read meta.as_of and meta.warnings, state them, and never call an old price current.',
    cheaper &&
      serves('get_bars') &&
      `Prefer the cheapest sufficient call: ${cheaper} over get_bars, longer intervals and fewer columns over many rows.`,
    hasTables && 'Answers are {columns, rows, meta, next_cursor}; send next_cursor with the same parameters for more.',
    hasTables && "dry_run: true returns a call's rows, tokens and credits without charge.",
    'An error names the parameter, what is allowed and near matches: fix the call and retry once. When credits are used up, do not retry; tell the user.',
  ]
    .filter(Boolean)
    .join(' ')
}
