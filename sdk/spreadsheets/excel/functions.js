/**
 * Finmeter in Excel: FINMETER.BARS, FINMETER.QUOTE and FINMETER.SERIES. The functions ask the host that this file came
 * from, because `/v1` answers only pages of its own host. The key is kept in the add-in's storage on this computer, not
 * in the workbook.
 */

/**
 * Keeps a read-only key on this computer. Returns what to do next.
 *
 * @customfunction KEY
 * @param {string} key A key that can only read.
 * @returns {Promise<string>}
 */
async function key(key) {
  await OfficeRuntime.storage.setItem('finmeter.key', key.trim())
  return 'Saved. Delete this cell.'
}

/**
 * Prices by day: date, open, high, low, close, volume.
 *
 * @customfunction BARS
 * @param {string} symbol Such as AAPL.
 * @param {string} [range] 1mo, 3mo, 6mo, 1y, 5y, ytd or max. Default 1y.
 * @returns {Promise<any[][]>}
 */
function bars(symbol, range) {
  return rowsOf(`/v1/bars/${encodeURIComponent(symbol)}`, { range: range || '1y', limit: 10_000 })
}

/**
 * The latest price of a symbol.
 *
 * @customfunction QUOTE
 * @param {string} symbol Such as AAPL.
 * @param {string} [field] close, previous_close, change, change_percent, currency or date. Default close.
 * @returns {Promise<any>}
 */
async function quote(symbol, field) {
  const rows = await rowsOf('/v1/quotes', { symbols: symbol, columns: field || 'close' })
  return rows[1][0]
}

/**
 * An economic series: date, value.
 *
 * @customfunction SERIES
 * @param {string} id Such as OIL.WTI.
 * @param {string} [range] 1mo, 3mo, 6mo, 1y, 5y, 10y, 20y or max. Default 1y.
 * @returns {Promise<any[][]>}
 */
function series(id, range) {
  return rowsOf(`/v1/series/${encodeURIComponent(id)}`, { range: range || '1y', limit: 5_000 })
}

/** Names of columns, then rows. Rejects with the server's explanation, which the cell shows as #N/A with a note. */
async function rowsOf(path, parameters) {
  const saved = await OfficeRuntime.storage.getItem('finmeter.key')
  if (!saved) throw refused('Enter =FINMETER.KEY("your key") once, with a key that can only read.')
  const query = new URLSearchParams({ ...parameters, format: 'columns' })
  const response = await fetch(`${location.origin}${path}?${query}`, { headers: { 'X-API-Key': saved } })
  const body = await response.json()
  if (!response.ok) throw refused(body.detail ?? `The server answered ${response.status}.`)
  // Excel shows an empty cell for an empty text, and an error for null.
  return [body.data.columns, ...body.data.rows.map((row) => row.map((value) => value ?? ''))]
}

const refused = (message) => new CustomFunctions.Error(CustomFunctions.ErrorCode.notAvailable, message)

CustomFunctions.associate({ KEY: key, BARS: bars, QUOTE: quote, SERIES: series })
