interface Advice {
  /** Markdown: what leads to this error. */
  why: string
  /** Markdown: what the caller does about it. */
  remedy: string
}

/** What each code of the catalogue means for the caller. A test fails for a code without advice. */
export const errorAdvice: Readonly<Record<string, Advice | undefined>> = {
  invalid_parameter: {
    why: 'A parameter is unknown, has the wrong type, lies outside its range, or contradicts another one. The request was refused before any work was done.',
    remedy:
      'Read `param` (which one) and `detail` (what is wrong). `allowed` lists the accepted values where there is a list. Every [reference page](/docs/reference) has the parameters of its endpoint.',
  },
  cursor_expired: {
    why: 'A `cursor` belongs to one version of the data and to one set of parameters, so that pages never mix two versions. The data were updated, or a parameter was changed between two pages.',
    remedy: 'Repeat the request without `cursor` and read the pages again from the first.',
  },
  bad_json: {
    why: 'The body of a POST is empty or is not valid JSON.',
    remedy:
      'Send valid JSON with `Content-Type: application/json`. A trailing comma or single quotes are the usual causes.',
  },
  unauthorized: {
    why: 'The dashboard API was called without a session, or with one that has ended. It takes session tokens, not API keys.',
    remedy: 'Sign in again. For data, use `/v1` or `/mcp` with an [API key](/docs/authentication).',
  },
  key_missing: {
    why: 'No API key came with the request.',
    remedy:
      'Send it as `Authorization: Bearer`, as `X-API-Key`, or as `?apikey=`. See [Authentication](/docs/authentication).',
  },
  key_invalid: {
    why: 'The key is mistyped, deleted, expired, or was rotated and its grace period is over. The answer is the same in each case, so that nobody can find out which keys exist.',
    remedy:
      'Copy the key again from [API Keys](/dashboard/api-keys), or create a new one. A key begins with `fm_` and has 41 characters.',
  },
  insufficient_credits: {
    why: 'The account has fewer credits left than this call costs, and pay-as-you-go is off or its cap is reached.',
    remedy:
      'Choose a plan or buy credits on [Billing](/dashboard/billing). Calls are answered again at once. Calls that cost nothing, such as symbol search, are always answered.',
  },
  key_budget_exceeded: {
    why: 'This key has a monthly credit budget of its own, and it is used up. The account may still have credits.',
    remedy:
      'Raise the budget of the key on [API Keys](/dashboard/api-keys), use another key, or wait for the first of the month (UTC).',
  },
  second_factor_required: {
    why: 'The account has a second factor, and this session was opened without giving it.',
    remedy: 'Open the dashboard: it asks for the code. Programs use an API key, which needs no second factor.',
  },
  sign_in_required: {
    why: 'The foreign MCP server that the playground was to connect to or to call lets in only who signs in there.',
    remedy:
      'Press Sign in on the Servers tab of the [playground](/dashboard/playground/): it opens the page of that server.',
  },
  not_entitled: {
    why: 'The data set is reserved for certain plans, and the plan of this account is not one of them. Nothing was charged.',
    remedy:
      'Ask [`GET /v1/datasets`](/docs/reference) for the data that your plan includes, or change the plan on [Billing](/dashboard/billing).',
  },
  forbidden: {
    why: 'The credential is good but may not do this: a key limited to REST was used for MCP (or the reverse), the request came from an address outside the allow-list of the key, or your role in the workspace does not permit it.',
    remedy: 'Use a key with the right scope and from a permitted address, or ask an owner or admin of the workspace.',
  },
  account_suspended: {
    why: 'The operator has suspended this account, for example after a payment dispute.',
    remedy: 'Contact support with your account e-mail address. Keys work again as soon as the suspension is lifted.',
  },
  not_found: {
    why: 'There is nothing at this address, or it belongs to somebody else: both look the same.',
    remedy:
      'Check the path against the [API reference](/docs/reference). For objects of your own, check the id and the workspace.',
  },
  unknown_symbol: {
    why: 'No instrument, series or company of this name is held.',
    remedy: 'Look at `suggestions`, or [search for symbols](/docs/reference/search_symbols), which is free.',
  },
  unknown_tool: {
    why: 'The MCP server has no tool of this name.',
    remedy: 'Call `tools/list` again: your client may hold an old list. `suggestions` may name the one you meant.',
  },
  method_not_allowed: {
    why: 'The address exists, but not for this HTTP method.',
    remedy: 'Use the method of the [reference page](/docs/reference). An AI client uses POST on `/mcp`.',
  },
  conflict: {
    why: 'Something else changed the same object at the same time, or the object is not in a state that allows this.',
    remedy: 'Read the present state, then decide whether to try again.',
  },
  payload_too_large: {
    why: 'The body is larger than 1 MB.',
    remedy: 'Split the request, for example into several lists of symbols.',
  },
  unsupported_media_type: {
    why: 'A POST came with a content type other than JSON.',
    remedy: 'Send `Content-Type: application/json`.',
  },
  idempotency_mismatch: {
    why: 'This `Idempotency-Key` was used in the last 24 hours for a request with other parameters. Answering would either charge twice or give the wrong answer.',
    remedy:
      'Make a new key (a UUID) for each new request, and keep it only for retries of the same request. See [Credits and limits](/docs/credits-and-limits).',
  },
  rate_limited: {
    why: 'The account or the key made more calls in this minute than its plan allows. Refused calls cost nothing.',
    remedy:
      'Wait as many seconds as `Retry-After` says. The headers `RateLimit` and `RateLimit-Policy` tell the limit and what is left, so a client can slow down before it is refused.',
  },
  internal_error: {
    why: 'Something failed that we did not foresee. The call was not charged.',
    remedy: 'Try again. If it stays, report the request id in `request_id` and `X-Request-Id`.',
  },
  upstream_failed: {
    why: 'The data come from a source outside this server, which did not answer or answered with an error.',
    remedy: 'Try again in a moment. The failed call was not charged.',
  },
  metering_unavailable: {
    why: 'The charge could not be written to disk, so nothing was served: data is never given away, and credits are never taken for an answer that did not come.',
    remedy: 'Wait as many seconds as `Retry-After` says, then repeat the request with the same `Idempotency-Key`.',
  },
  billing_unavailable: {
    why: 'The payment provider cannot be reached, or is not configured on this installation.',
    remedy: 'Try again in a moment. Calls to the data API are not affected, and nothing was charged.',
  },
  tool_timeout: {
    why: 'The work took longer than its deadline, usually ten seconds.',
    remedy: 'Ask for less at once: a shorter range, fewer symbols, a longer interval. The failed call was not charged.',
  },
}
