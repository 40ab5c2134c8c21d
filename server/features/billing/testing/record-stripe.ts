import type Stripe from 'stripe'

interface HttpClient {
  makeRequest: (
    host: string,
    port: string,
    path: string,
    method: string,
    headers: Record<string, string | string[] | number>,
    body: string | null,
    ...rest: unknown[]
  ) => Promise<unknown>
}

/** Notes every request that a client sends from now on: method, path, form, and the idempotency keys of our own. */
export function recordRequests(client: Stripe): string[] {
  const requests: string[] = []
  const http = client.getApiField('httpClient') as unknown as HttpClient
  const send = http.makeRequest.bind(http)
  http.makeRequest = (host, port, path, method, headers, body, ...rest) => {
    const key = String(headers['Idempotency-Key'] ?? '')
    const form = decodeURIComponent((body ?? '').replaceAll('+', ' '))
    // The SDK makes a random key where we give none.
    requests.push([method, decodeURIComponent(path), form, key.startsWith('stripe-node-retry-') ? '' : key].join(' '))
    return send(host, port, path, method, headers, body, ...rest)
  }
  return requests
}

/** Without what differs from run to run: ids, times, ports and tokens. */
export const withoutChance = (text: string): string =>
  text
    .replace(
      /\b(cus|sub|si|in|il|ii|pi|ch|re|cs|pm|evt|bps|bpc|inpay|mtr|price|prod|card)_(?:test_)?(?!free|pro\b|payg|credits|card|finmeter)\w+/g,
      '$1_ID',
    )
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UUID')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replace(/\b1[789]\d{8}\b/g, '1700000000')
    .replace(/localhost:\d+/g, 'HOST')
    .replace(/[0-9a-f]{8}@example/g, 'PERSON@example')
    .replace(/signature=[\w-]+/g, 'signature=MAC')
    .replace(/\b(SBX|[0-9A-F]{8})\w*-\d{4}\b/g, 'NUMBER')
    .replace(/(co|topup|key|secret|after)[:=]\d+/g, '$1:N')
    .replace(/finmeter_topup]=\d+/g, 'finmeter_topup]=N')
