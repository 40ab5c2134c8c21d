/**
 * The error catalog: code, HTTP status, public text. Services throw `AppError` with one of these codes; one place maps
 * them to the envelope (`/api`), to problem+json (`/v1`) and to MCP tool errors.
 */
export const errorCatalog = {
  invalid_parameter: { status: 400, text: 'A parameter is not valid.' },
  cursor_expired: {
    status: 400,
    text: 'The data was updated after this cursor was issued. Repeat the request without cursor to start over.',
  },
  malformed_request: { status: 400, text: 'The request is not valid HTTP.' },
  bad_json: { status: 400, text: 'The request body is not valid JSON.' },
  unauthorized: { status: 401, text: 'User is not authenticated. Please log in.' },
  key_missing: {
    status: 401,
    text: 'An API key is required. Send it as Authorization: Bearer, X-API-Key or ?apikey=.',
  },
  key_invalid: { status: 401, text: 'This API key is not valid. It may be mistyped, deleted or expired.' },
  service_key_invalid: {
    status: 401,
    text: 'A service key (fms_...) is required here. It may be missing, mistyped or revoked.',
  },
  insufficient_credits: { status: 402, text: 'This account has no credits left for this call.' },
  key_budget_exceeded: { status: 402, text: 'This API key has used up its own credit budget.' },
  payment_required: { status: 402, text: 'This call has to be paid for.' },
  forbidden: { status: 403, text: 'Your role or key does not allow this.' },
  second_factor_required: {
    status: 403,
    text: 'This account uses two-factor authentication. Enter the code to continue.',
  },
  sign_in_required: { status: 403, text: 'This server requires you to sign in there first.' },
  not_entitled: { status: 403, text: "This account's plan does not include this data." },
  account_suspended: { status: 403, text: 'This account is suspended. Contact support.' },
  not_found: { status: 404, text: 'Not found.' },
  unknown_symbol: { status: 404, text: 'This symbol is not in the catalog.' },
  unknown_tool: { status: 404, text: 'There is no tool with this name.' },
  method_not_allowed: { status: 405, text: 'This method is not allowed here.' },
  request_timeout: { status: 408, text: 'The request did not arrive completely in time.' },
  hold_ended: {
    status: 409,
    text: 'This hold is too old to be settled.',
  },
  conflict: { status: 409, text: 'Another request is changing this. Try again.' },
  payment_in_progress: {
    status: 409,
    text: 'This payment is being used by another request. Send the same request again in a moment.',
  },
  payment_reused: { status: 409, text: 'This payment was already used.' },
  payload_too_large: { status: 413, text: 'The request body is too large.' },
  unsupported_media_type: { status: 415, text: 'This content type is not supported. Send application/json.' },
  data_changed: {
    status: 409,
    text: 'The data has changed since the first call with this Idempotency-Key. Nothing was charged. Use a new key.',
  },
  idempotency_mismatch: { status: 422, text: 'This Idempotency-Key was already used with a different request.' },
  result_out_of_range: { status: 422, text: 'The result is too large to be represented as a number.' },
  rate_limited: { status: 429, text: 'Too many requests. Wait and try again.' },
  headers_too_large: { status: 431, text: 'The request headers are too large.' },
  internal_error: { status: 500, text: 'Something went wrong on our side.' },
  upstream_failed: { status: 502, text: 'The data source did not answer.' },
  payment_settlement_unknown: {
    status: 503,
    text: 'It is not known yet whether this payment has arrived. Do not sign another one: send the same request again.',
  },
  billing_unavailable: { status: 503, text: 'Billing is not available at the moment. Nothing was charged.' },
  metering_unavailable: {
    status: 503,
    text: 'Credits cannot be checked at the moment, so nothing is served or charged. Try again shortly.',
  },
  data_unavailable: {
    status: 503,
    text: 'This data cannot be read at the moment. Nothing was charged. Try again shortly.',
  },
  overloaded: { status: 503, text: 'Too many connections are open. Try again shortly.' },
  tool_timeout: { status: 504, text: 'The tool did not answer in time.' },
  http_version_not_supported: { status: 505, text: 'This HTTP version is not supported. Use HTTP/1.1.' },
} as const satisfies Record<string, { status: number; text: string }>

export type ErrorCode = keyof typeof errorCatalog
