import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { speak } from './mind.ts'
import { type CompletionRequest, completionRequest, type Speech, wrongOrder } from './protocol.ts'

/** A raw answer, for tests of failures. */
export interface Raw {
  status: number
  headers?: Record<string, string>
  /** Never answers if absent. */
  body?: string
}

export interface SandboxModel {
  /** Ends in /v1; requests go to its /chat/completions. */
  url: string
  /** Every well-formed request, oldest first. */
  requests: CompletionRequest[]
  close: () => Promise<void>
}

/** An endpoint of the OpenAI chat completions protocol on this machine. `mind` decides what the model says. */
export async function startSandboxModel({
  key,
  model,
  port = 0,
  mind = speak,
}: {
  key: string
  model: string
  port?: number
  mind?: (request: CompletionRequest) => Speech | Raw
}): Promise<SandboxModel> {
  const requests: CompletionRequest[] = []
  const server = createServer(async (request, response) => {
    const { status, headers, body } = answer(request, await readAll(request))
    if (body === undefined) return
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
  })

  function answer({ method, url, headers }: IncomingMessage, text: string): Raw {
    if (method !== 'POST' || url !== '/v1/chat/completions')
      return failure(404, `Unknown request URL: ${method} ${url}.`)
    // Real endpoints also repeat the key here, or part of it.
    if (headers.authorization !== `Bearer ${key}`)
      return failure(401, `Incorrect API key provided: ${headers.authorization?.slice(7)}.`, 'invalid_api_key')
    const parsed = completionRequest.safeParse(parseJson(text))
    if (!parsed.success)
      return failure(400, parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '))
    const wrong = wrongOrder(parsed.data)
    if (wrong) return failure(400, wrong)
    if (parsed.data.model !== model)
      return failure(
        404,
        `The model \`${parsed.data.model}\` does not exist or you do not have access to it.`,
        'model_not_found',
      )
    requests.push(parsed.data)
    const said = mind(parsed.data)
    return 'status' in said ? said : { status: 200, body: JSON.stringify(completion(model, text, said)) }
  }

  await new Promise<void>((done, failed) => {
    server.once('error', failed)
    server.listen(port, '127.0.0.1', done)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    async close() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

const CHARACTERS_PER_TOKEN = 4
const tokensOf = (text: string) => Math.ceil(text.length / CHARACTERS_PER_TOKEN)
const newId = (start: string) => `${start}${randomBytes(12).toString('hex')}`

function completion(model: string, request: string, said: Speech) {
  const calls = 'calls' in said ? said.calls : null
  const [prompt_tokens, completion_tokens] = [tokensOf(request), tokensOf(JSON.stringify(said))]
  return {
    id: newId('chatcmpl-'),
    object: 'chat.completion',
    created: Math.floor(Date.now() / 1000),
    model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: 'text' in said ? said.text : null,
          refusal: null,
          ...(calls && { tool_calls: calls.map((one) => ({ id: newId('call_'), type: 'function', function: one })) }),
        },
        logprobs: null,
        finish_reason: calls ? 'tool_calls' : 'stop',
      },
    ],
    usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
  }
}

const failure = (status: number, message: string, code: string | null = null): Raw => ({
  status,
  body: JSON.stringify({ error: { message, type: 'invalid_request_error', param: null, code } }),
})

async function readAll(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk
  return text
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
