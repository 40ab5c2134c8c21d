interface Advice {
  /** Markdown: what causes this error. */
  why: string
  /** Markdown: what the caller should do about it. */
  remedy: string
}

/** What each code of the catalog means for the caller. A test fails for a code without advice. */
export const errorAdvice: Readonly<Record<string, Advice | undefined>> = {
  invalid_parameter: {
    why: 'A parameter is unknown, has the wrong type, lies outside its range, or contradicts another one. The request was refused before any work was done.',
    remedy:
      'Read `param` (the parameter) and `detail` (what is wrong). `allowed` lists the accepted values, if they are limited. Every [reference page](/docs/reference) lists the parameters of its endpoint.',
  },
  cursor_expired: {
    why: 'A `cursor` belongs to one version of the data and to one set of parameters, so that pages never mix two versions. The data was updated, or a parameter changed between two pages.',
    remedy: 'Repeat the request without `cursor` and start again from the first page.',
  },
  bad_json: {
    why: 'The body of a POST is empty or is not valid JSON.',
    remedy:
      'Send valid JSON with `Content-Type: application/json`. A trailing comma or single quotes are the usual causes.',
  },
  unauthorized: {
    why: 'The dashboard API was called without a session, or with an expired one. It requires session tokens, not API keys.',
    remedy: 'Sign in again. For data, use `/v1` or `/mcp` with an [API key](/docs/authentication).',
  },
  key_missing: {
    why: 'The request has no API key.',
    remedy:
      'Send it as `Authorization: Bearer`, as `X-API-Key`, or as `?apikey=`. See [Authentication](/docs/authentication).',
  },
  key_invalid: {
    why: 'The key is mistyped, deleted or expired, or it was rotated and its grace period is over. The error is the same in each case, so that no one can find out which keys exist.',
    remedy:
      'Copy the key again from [API Keys](/dashboard/api-keys), or create a new one. A key starts with `%KEY_PREFIX%` and is %KEY_LENGTH% characters long.',
  },
  service_key_invalid: {
    why: 'A gateway or service of the operator asked `/v1/meter` without a service key, or with one that is mistyped or revoked. Customers never see this error from a gateway that is set up correctly.',
    remedy:
      'The operator makes a service key with `npm run admin -- meter-key` and sends it as `Finmeter-Service-Key`. API keys of customers (`fm_...`) are not service keys.',
  },
  insufficient_credits: {
    why: 'The account has fewer credits left than this call costs, and pay-as-you-go is off or has reached its cap.',
    remedy:
      'Choose a plan or buy credits on [Billing](/dashboard/billing). Calls then work again at once. Free calls, such as symbol search, always work.',
  },
  payment_required: {
    why: 'The request has no key, and its call can be paid for by itself; or its payment was refused. `PAYMENT-REQUIRED` (over MCP: `structuredContent`) has the terms. If a payment was refused, `error` in the terms says why. Nothing was delivered and nothing is owed.',
    remedy:
      'Sign a payment from the terms of this response and send the same request with it, as [Payments by agents](/docs/agent-payments) describes, or send an [API key](/docs/authentication).',
  },
  payment_in_progress: {
    why: 'Another request with the same payment is being answered.',
    remedy: 'Send the same request with the same payment again after `Retry-After`. Do not sign another payment.',
  },
  payment_reused: {
    why: 'The payment was used for another request, was repeated more than five times, or is more than a day old.',
    remedy: 'Ask without a payment for the current terms, and sign a new one.',
  },
  payment_settlement_unknown: {
    why: 'The work is done, and the payment was sent, but nobody has confirmed yet whether it has arrived. The response is withheld until that is known.',
    remedy:
      'Do not sign another payment: you could pay twice. Send the same request with the same payment after `Retry-After`. Once the payment is found, you get the response; if it has failed, you get a 402.',
  },
  key_budget_exceeded: {
    why: 'This key has a monthly credit budget, and it is used up. The account may still have credits.',
    remedy:
      'Raise the budget of this key on [API Keys](/dashboard/api-keys), use another key, or wait for the first of the month (UTC).',
  },
  second_factor_required: {
    why: 'The account has a second factor, and this session was started without it.',
    remedy: 'Open the dashboard and enter the code. In programs, use an API key, which needs no second factor.',
  },
  sign_in_required: {
    why: 'The other MCP server that the playground connects to or calls requires you to sign in.',
    remedy:
      'Choose Sign in on the Servers tab of the [playground](/dashboard/playground/). It opens the sign-in page of that server.',
  },
  not_entitled: {
    why: 'The dataset is reserved for certain plans, and this account has none of them. Nothing was charged.',
    remedy:
      'Call [`GET /v1/datasets`](/docs/reference) to list the data that your plan includes, or change the plan on [Billing](/dashboard/billing).',
  },
  forbidden: {
    why: 'The credential is valid but not allowed to do this: a key limited to REST was used for MCP (or the reverse), the request came from an IP address that the key does not allow, or your role in the workspace does not permit it.',
    remedy: 'Use a key that allows this use and this IP address, or ask an owner or admin of the workspace.',
  },
  account_suspended: {
    why: 'The operator has suspended this account, for example after a payment dispute.',
    remedy: 'Contact support with your account email address. Keys work again as soon as the suspension is lifted.',
  },
  not_found: {
    why: 'Nothing exists at this URL, or it belongs to someone else. Both get the same error.',
    remedy:
      'Check the path against the [API reference](/docs/reference). For your own objects, check the ID and the workspace.',
  },
  unknown_symbol: {
    why: 'No instrument, series or company has this name.',
    remedy: 'Look at `suggestions`, or [search for symbols](/docs/reference/search_symbols), which is free.',
  },
  unknown_tool: {
    why: 'The MCP server has no tool of this name.',
    remedy: 'Call `tools/list` again: your client may have an old list. `suggestions` may contain the tool you meant.',
  },
  method_not_allowed: {
    why: 'The URL exists, but not for this HTTP method.',
    remedy: 'Use the method on the [reference page](/docs/reference). AI clients use POST on `/mcp`.',
  },
  hold_ended: {
    why: 'A service settled or released a hold more than 12 hours after it was authorized. The hold ended long before, by itself.',
    remedy:
      'Settle each hold before its `expires_at`. Repeating a settlement is safe. If the work takes longer, ask for more `hold_seconds` when you authorize, up to one hour.',
  },
  conflict: {
    why: 'Something else changed the same object at the same time, or the object is not in a state that allows this.',
    remedy: 'Read the current state, then decide whether to try again.',
  },
  payload_too_large: {
    why: 'The body is larger than 1 MB.',
    remedy: 'Split the request, for example into several lists of symbols.',
  },
  unsupported_media_type: {
    why: 'A POST request has a content type other than JSON.',
    remedy: 'Send `Content-Type: application/json`.',
  },
  data_changed: {
    why: 'This `Idempotency-Key` was charged in the last 24 hours, and the data has changed since then. A retry is free because it returns the same rows, never newer ones.',
    remedy: 'Use a new key to get the current data, at the usual price.',
  },
  idempotency_mismatch: {
    why: 'This `Idempotency-Key` was used in the last 24 hours for a request with other parameters. A response would either charge twice or contain the wrong data.',
    remedy:
      'Create a new key (a UUID) for each new request, and reuse it only for retries of the same request. See [Credits and limits](/docs/credits-and-limits).',
  },
  result_out_of_range: {
    why: 'The inputs are valid, but the result is too large for a number (more than about 1.8 × 10^308). Nothing was charged.',
    remedy: 'Use smaller inputs.',
  },
  rate_limited: {
    why: 'The account or the key made more calls in this minute than its plan allows, or has 256 calls in progress. Refused calls cost nothing.',
    remedy:
      'Wait for the number of seconds in `Retry-After`. The headers `RateLimit` and `RateLimit-Policy` show the limit and the remaining calls, so a client can slow down before it is refused.',
  },
  internal_error: {
    why: 'Something unexpected failed. The call was not charged.',
    remedy: 'Try again. If the error continues, report the request ID from `request_id` or `X-Request-Id`.',
  },
  upstream_failed: {
    why: 'The data comes from a source outside this server, which did not respond or returned an error.',
    remedy: 'Try again in a moment. The failed call was not charged.',
  },
  metering_unavailable: {
    why: 'The charge could not be written to disk, so nothing was served. You never pay for a response that was not sent.',
    remedy: 'Wait for the number of seconds in `Retry-After`, then repeat the request with the same `Idempotency-Key`.',
  },
  billing_unavailable: {
    why: 'The payment provider cannot be reached, or this installation has none configured.',
    remedy: 'Try again in a moment. Calls to the data API are not affected, and nothing was charged.',
  },
  malformed_request: {
    why: 'The bytes are not a valid HTTP request, or the request has no valid `Host` header or several. The connection is closed.',
    remedy: 'Use an HTTP library. If you do, a proxy on the way may be changing the request.',
  },
  http_version_not_supported: {
    why: 'The request names an HTTP version other than 1.1 or 1.0. The connection is closed.',
    remedy: 'Use HTTP/1.1. A server in front of this one may offer HTTP/2.',
  },
  request_timeout: {
    why: 'The headers or the body did not arrive completely within 30 seconds. The connection is closed.',
    remedy: 'Send the whole request at once, and try again.',
  },
  headers_too_large: {
    why: 'The headers of the request are larger than 16 KB together. The connection is closed.',
    remedy: 'Remove headers, or put the data into the body.',
  },
  data_unavailable: {
    why: 'The place where this data is stored did not answer in time, or what it sent is damaged. Nothing was charged.',
    remedy:
      'Wait for the number of seconds in `Retry-After` and repeat the request. If it keeps failing, contact support with the request ID.',
  },
  overloaded: {
    why: 'The server has as many open connections as it accepts, too many exports wait, or it refuses costly calls because it is busy. Nothing was charged.',
    remedy:
      'Wait for the number of seconds in `Retry-After`. Reuse connections (keep-alive) instead of opening one per call.',
  },
  tool_timeout: {
    why: 'The work took longer than its deadline, usually ten seconds.',
    remedy:
      'Request less at once: a shorter range, fewer symbols or a longer interval. The failed call was not charged.',
  },
}
