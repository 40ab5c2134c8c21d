/** Sent once to every agent that connects. At most 120 words; a test counts them and the tools that it names. */
export const instructions = [
  'Market data, metered in credits: errors and empty answers are free; get_usage shows the remaining credits.',
  'To see what is available: search_symbols, list_datasets. Much may be historical: read meta.as_of and meta.warnings, state them, and never call an old price current.',
  'Prefer the cheapest sufficient call: summarize_prices or get_quote over get_bars, longer intervals and fewer columns over many rows.',
  'Answers are {columns, rows, meta, next_cursor}; send next_cursor with the same parameters for more.',
  "dry_run: true returns a call's rows, tokens and credits without charge.",
  'An error names the parameter, what is allowed and near matches: fix the call and retry once. When credits are used up, do not retry; tell the user.',
].join(' ')
