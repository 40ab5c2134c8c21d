/**
 * Where the software's name stays in what a named shop sends: names that programs depend on. Everything else that a visitor, customer
 * or model can read has the shop's name.
 */
export const technicalNames: readonly RegExp[] = [
  // The footer, unless it is switched off.
  /Powered by Finmeter/g,
  // Headers, types of errors, `_meta` keys and addresses of MCP, the health probe of clients of Supabase Auth.
  /Finmeter-(Service-Key|Event|Timestamp|Signature|Delivery|Tool|Units)/gi,
  /Bearer realm="Finmeter API key"/g,
  /urn:finmeter:error/g,
  /\bfinmeter\/[a-z-]+/g,
  /ui:\/\/finmeter\//g,
  /"version":"finmeter"/g,
  // Environment variables.
  /FINMETER_[A-Z_]+/g,
  // Where browsers keep what a visitor chose, and the view of an operator.
  /finmeter\.(theme|language|key|workspace|view|font)\b/g,
]

/** Not yet under the shop's name; docs/shop.md says so. */
export const notYet: readonly RegExp[] = [
  // Words of the documentation's search index, which is built once: no entry leads to a page that is not served.
  /\["finmeter[a-z]*",\{/g,
]
