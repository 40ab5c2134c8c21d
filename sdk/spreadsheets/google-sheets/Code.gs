/**
 * Finmeter in Google Sheets: FINMETER_BARS, FINMETER_QUOTE and FINMETER_SERIES. The address of the server and a
 * read-only key are properties of the script, so no cell and no formula contains the key.
 */

/** The same rows are requested only once in this time. */
const CACHE_SECONDS = 600
/** What the script cache takes as one value. */
const MOST_CACHED_CHARACTERS = 100000

/** Adds the menu. Google calls it when the sheet is opened. */
function onOpen() {
  SpreadsheetApp.getUi().createMenu('Finmeter').addItem('Set server and key', 'setServerAndKey').addToUi()
}

/** Asks for the server and the key, and keeps them for this script. */
function setServerAndKey() {
  const ui = SpreadsheetApp.getUi()
  const server = ui.prompt('Server', 'Such as https://data.example.com', ui.ButtonSet.OK_CANCEL)
  if (server.getSelectedButton() !== ui.Button.OK) return
  const key = ui.prompt('Key', 'A key that can only read.', ui.ButtonSet.OK_CANCEL)
  if (key.getSelectedButton() !== ui.Button.OK) return
  PropertiesService.getScriptProperties().setProperties({
    FINMETER_URL: server.getResponseText().trim().replace(/\/+$/, ''),
    FINMETER_API_KEY: key.getResponseText().trim(),
  })
}

/**
 * Prices by day: date, open, high, low, close, volume.
 *
 * @param {string} symbol Such as "AAPL".
 * @param {string} range 1mo, 3mo, 6mo, 1y, 5y, ytd or max. Default 1y.
 * @return {Array<Array<string|number>>} A row with the names of the columns, then a row for each day.
 * @customfunction
 */
function FINMETER_BARS(symbol, range) {
  return rowsOf_('/v1/bars/' + encodeURIComponent(symbol), { range: range || '1y', limit: 10000 })
}

/**
 * The latest price of a symbol.
 *
 * @param {string} symbol Such as "AAPL".
 * @param {string} field close, previous_close, change, change_percent, currency or date. Default close.
 * @return {string|number} The value.
 * @customfunction
 */
function FINMETER_QUOTE(symbol, field) {
  return rowsOf_('/v1/quotes', { symbols: symbol, columns: field || 'close' })[1][0]
}

/**
 * An economic series: date, value.
 *
 * @param {string} id Such as "OIL.WTI".
 * @param {string} range 1mo, 3mo, 6mo, 1y, 5y, 10y, 20y or max. Default 1y.
 * @return {Array<Array<string|number>>} A row with the names of the columns, then a row for each date.
 * @customfunction
 */
function FINMETER_SERIES(id, range) {
  return rowsOf_('/v1/series/' + encodeURIComponent(id), { range: range || '1y', limit: 5000 })
}

/** The rows of a table. Throws the server's explanation, which the cell then shows. */
function rowsOf_(path, parameters) {
  const properties = PropertiesService.getScriptProperties()
  const server = properties.getProperty('FINMETER_URL')
  const key = properties.getProperty('FINMETER_API_KEY')
  if (!server || !key) throw new Error('Choose Finmeter, Set server and key in the menu first.')
  const query = Object.entries({ ...parameters, format: 'csv' }).map(
    ([name, value]) => name + '=' + encodeURIComponent(String(value)),
  )
  const address = path + '?' + query.join('&')
  const cache = CacheService.getScriptCache()
  // The cache takes names of up to 250 characters.
  const name = address.slice(0, 250)
  const known = cache.get(name)
  const text = known ?? read_(server + address, key)
  if (known === null && text.length <= MOST_CACHED_CHARACTERS) cache.put(name, text, CACHE_SECONDS)
  return Utilities.parseCsv(text).map((row) => row.map(cell_))
}

function read_(address, key) {
  const response = UrlFetchApp.fetch(address, { headers: { 'X-API-Key': key }, muteHttpExceptions: true })
  const text = response.getContentText()
  if (response.getResponseCode() === 200) return text
  throw new Error(JSON.parse(text).detail || 'The server answered ' + response.getResponseCode() + '.')
}

/** Numbers as numbers. Dates stay text, which Sheets reads in every locale because they are year-month-day. */
function cell_(text) {
  return /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) ? Number(text) : text
}
