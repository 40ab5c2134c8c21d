import { answerTo } from './record.ts'
import { hasRole, type Target } from './target.ts'

/** Throws, naming the peer, if its answer differs or is incomplete: then it is not doing the same work. */
export async function compareAnswers(targets: Target[]): Promise<void> {
  for (const product of targets.filter((target) => hasRole(target, 'finmeter'))) {
    const expected = essence(product, (await answerTo(product.port, product.requests[0]!)).body)
    for (const peer of targets.filter(({ work, id }) => work === product.work && id !== product.id)) {
      const { status, body } = await answerTo(peer.port, peer.requests[0]!)
      if (status !== 200 || essence(peer, body) !== expected)
        throw new Error(`${peer.label} answered ${status}, not what Finmeter answers: ${body.slice(0, 500)}`)
    }
  }
}

/** The part of an answer that must be equal: all of it, or for MCP the result without receipt and server name. */
function essence({ work }: Target, body: string): string {
  if (work !== 'mcp') return body
  const { id, result } = JSON.parse(body) as { id: number; result?: Record<string, unknown> }
  return JSON.stringify([id, result?.content, result?.structuredContent])
}
