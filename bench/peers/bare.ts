/**
 * `node:http` and nothing else: looks up the recorded answer by its URL and sends it. The most that one core can do.
 */
import type { RestPeerSetup } from '../wire.ts'
import { serve, setup } from './serve.ts'

const { answers } = await setup<RestPeerSetup>()
const byPath = new Map(answers.map((answer) => [answer.path, answer]))

serve((request, response) => {
  const answer = byPath.get(request.url ?? '')
  if (!answer) return void response.writeHead(404).end()
  response.writeHead(200, answer.headers).end(answer.body)
})
