import { createSecretKey } from 'node:crypto'
import type { Operation } from '../document/operation.ts'
import type { Auth } from '../manifest.ts'
import { parseManifest } from '../read-manifest.ts'
import { callUpstream, type Route } from '../request/call-upstream.ts'
import { readCredential } from '../request/credential.ts'
import { createUpstreamClient } from '../request/upstream-client.ts'

export const names = { account: 'a-1', key: 'k-1', request: 'r-1' }
export const signingSecret = Buffer.alloc(32, 7)
export const CREDENTIAL = 'sk-live-0123456789'

/** An operation with inputs in these places, each called as upstream. */
export const operation = (
  path: string,
  places: Record<string, Operation['places'][string]['in']> = {},
  more: Partial<Operation> = {},
): Operation => ({
  id: 'one',
  method: 'GET',
  path,
  title: 'One',
  description: 'One',
  input: {},
  places: Object.fromEntries(
    Object.entries(places).map(([name, where]) => [
      name,
      { in: where, name, style: where === 'query' ? 'form' : 'simple', explode: where === 'query' },
    ]),
  ),
  body: null,
  response: null,
  accept: 'application/json',
  ...more,
})

/** A call of an operation at `base`, as the product makes it, without the meter. */
export function createCall(
  base: string,
  called: Operation,
  {
    manifest = {},
    lookup,
    ...more
  }: { manifest?: object; lookup?: Parameters<typeof createUpstreamClient>[0]['lookup'] } & Partial<Route> = {},
) {
  const failures: string[] = []
  const parsed = parseManifest({
    id: 'acme',
    kind: 'openapi',
    document: 'x',
    base,
    private_hosts: ['127.0.0.1'],
    auth: { header: 'X-Key', secret: 'ACME_KEY' },
    ...manifest,
  })
  const client = createUpstreamClient({
    ...parsed,
    name: 'Acme',
    onFailure: ({ message }) => failures.push(message),
    ...(lookup && { lookup }),
  })
  const route: Route = {
    operation: called,
    base: new URL(base),
    client,
    credential: readCredential(parsed.auth as Auth | undefined, { ACME_KEY: CREDENTIAL }),
    signingKey: createSecretKey(signingSecret),
    requestBytes: 4_096,
    responseBytes: 20_000,
    responseHeaders: [],
    stream: false,
    onJson: () => {},
    ...more,
  }
  const call = (input: Record<string, unknown> = {}, signal = AbortSignal.timeout(10_000), account = names.account) =>
    callUpstream(route, input, { names: { ...names, account }, traceparent: null, idempotencyKey: 'again-1', signal })
  return { call, failures, close: client.close }
}
