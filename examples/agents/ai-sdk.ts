/**
 * An agent with the AI SDK: a model of any provider that speaks the chat completions protocol, and the tools of Finmeter over MCP.
 * Reads FINMETER_URL, FINMETER_API_KEY, MODEL_URL (ends in /v1), MODEL and MODEL_KEY. `node ai-sdk.ts "What does AAPL cost?"`
 */
import { createMCPClient } from '@ai-sdk/mcp'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, isStepCount } from 'ai'

const { FINMETER_URL, FINMETER_API_KEY, MODEL_URL = '', MODEL = '', MODEL_KEY } = process.env
const provider = createOpenAICompatible({ name: 'model', baseURL: MODEL_URL, apiKey: MODEL_KEY })
const finmeter = await createMCPClient({
  transport: { type: 'http', url: `${FINMETER_URL}/mcp`, headers: { Authorization: `Bearer ${FINMETER_API_KEY}` } },
})
try {
  const { text } = await generateText({
    model: provider(MODEL),
    tools: await finmeter.tools(),
    stopWhen: isStepCount(5),
    prompt: process.argv[2] ?? 'What does AAPL cost?',
  })
  console.log(text)
} finally {
  await finmeter.close()
}
