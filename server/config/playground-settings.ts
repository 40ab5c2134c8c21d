import { z } from 'zod'
import { flag, setting, url } from './setting.ts'

/** An operator's servers by id, from JSON. */
const serverList = z
  .string()
  .transform((text, context) => {
    try {
      return JSON.parse(text)
    } catch {
      context.addIssue('is not JSON')
      return z.NEVER
    }
  })
  .pipe(
    z.record(
      z.string().regex(/^[a-z][a-z0-9-]{0,62}$/),
      z.strictObject({ title: z.string(), url, headers: z.record(z.string(), z.string()).default({}) }),
    ),
  )
/** Variables of the playground; part of `settings` in `config.ts`. */
export const playgroundSettings = {
  PLAYGROUND_SERVERS: setting(
    serverList.optional(),
    'MCP servers that the playground offers besides the built-in one: a JSON object of id to {"title", "url", "headers"}. Headers are sent to that address only.',
    'a JSON object such as {"weather":{"title":"Weather","url":"https://weather.example.com/mcp"}}',
  ),
  PLAYGROUND_URLS: setting(
    flag.default('off'),
    'Whether people may connect the playground to MCP servers by URL (https, public addresses only).',
    'on or off',
    'off',
  ),
  PLAYGROUND_PRIVATE_NETWORKS: setting(
    flag.default('off'),
    'Whether those URLs, and OAuth client documents, may be on private networks and use plain http. Only where everyone who signs in may reach them anyway.',
    'on or off',
    'off',
  ),
  CHAT_MODEL_URL: setting(
    url.optional(),
    "Endpoint of a language model that answers plain questions in the playground's chat by calling the tools; it must speak the OpenAI chat completions protocol. What people write there is sent to it. Absent: no model.",
    'a URL to which /chat/completions is added, such as https://api.openai.com/v1 or http://localhost:11434/v1',
  ),
  CHAT_MODEL: setting(z.string().max(200).optional(), 'Name of that model. Needed with CHAT_MODEL_URL.', 'a name'),
  CHAT_MODEL_KEY: setting(
    z.string().optional(),
    'Key of that endpoint, sent to it as a bearer token and nowhere else. Absent: none is sent.',
    'the secret key',
  ),
  CHAT_MODEL_TIMEOUT_SECONDS: setting(
    z.coerce.number().int().min(1).max(120).default(45),
    'How long one answer of that model may take.',
    'a number from 1 to 120',
    '45',
  ),
  CHAT_MODEL_TURNS: setting(
    z.coerce.number().int().min(1).max(1000).default(20),
    'Maximum model answers per account and minute. The operator pays for the model; an account pays only for tool calls.',
    'a number from 1 to 1000',
    '20',
  ),
}
