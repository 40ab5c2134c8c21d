/** `node:http` that parses the JSON-RPC request and sends the recorded answer under its id. */
import type { McpPeerSetup } from '../wire.ts'
import { serve, setup } from './serve.ts'

const { calls } = await setup<McpPeerSetup>()
const answers = new Map(
  calls.map((call) => [
    JSON.stringify(call.arguments),
    { headers: withoutLength(call.headers), parts: call.body.split('"id":0') },
  ]),
)

serve((request, response) => {
  let text = ''
  request.setEncoding('utf8')
  request.on('data', (chunk: string) => {
    text += chunk
  })
  request.on('end', () => {
    const { id, params } = JSON.parse(text) as { id: number; params: { arguments: unknown } }
    const answer = answers.get(JSON.stringify(params.arguments))
    if (!answer) return void response.writeHead(404).end()
    const body = answer.parts.join(`"id":${id}`)
    response.writeHead(200, [...answer.headers, 'content-length', String(Buffer.byteLength(body))]).end(body)
  })
})

function withoutLength(headers: string[]): string[] {
  const kept: string[] = []
  for (let i = 0; i < headers.length; i += 2) {
    if (headers[i]?.toLowerCase() !== 'content-length') kept.push(headers[i]!, headers[i + 1]!)
  }
  return kept
}
