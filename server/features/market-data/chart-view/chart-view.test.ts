import { expect, test } from 'vitest'
import { createKnowledge } from '../knowledge/knowledge.ts'
import { createMarketAccess } from '../market-access.ts'
import { assemble } from '../market-data.ts'
import { serving } from '../testing/demo-market.ts'
import { marketDataTools } from '../tools.ts'

const caller = { accountId: 1, bucket: 0, keyId: 1, rateLimitPerMinute: null }
const knowledge = createKnowledge(
  createMarketAccess(assemble([]), () => new Set()),
  serving(marketDataTools),
)

test('every view of a tool is listed, readable, small and self-contained', async () => {
  const named = marketDataTools.flatMap(({ mcp }) => (mcp ? (mcp.view ?? []) : []))
  expect([...new Set(named)]).toEqual(['ui://finmeter/chart'])
  const listed = await knowledge.resources(caller)
  for (const uri of named) {
    expect(listed).toContainEqual(expect.objectContaining({ uri, mimeType: 'text/html;profile=mcp-app' }))
    const { text, mimeType } = await knowledge.read(uri, caller)
    expect(mimeType).toBe('text/html;profile=mcp-app')
    expect(Buffer.byteLength(text)).toBeLessThan(25 * 1024)
    const addresses = text.match(/\w+:\/\/[^\s"'`]+/g) ?? []
    expect(addresses.filter((address) => address !== 'http://www.w3.org/2000/svg')).toEqual([])
    expect(text).not.toMatch(
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|\bfetch\(|XMLHttpRequest|<link|src=/,
    )
  }
})
