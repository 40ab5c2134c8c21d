/**
 * An agent with LangChain: a model of any provider that speaks the chat completions protocol, and the tools of Finmeter over MCP.
 * Reads FINMETER_URL, FINMETER_API_KEY, MODEL_URL (ends in /v1), MODEL and MODEL_KEY. `node langchain.ts "What does AAPL cost?"`
 */
import { MultiServerMCPClient } from '@langchain/mcp-adapters'
import { ChatOpenAI } from '@langchain/openai'
import { createAgent } from 'langchain'

const { FINMETER_URL, FINMETER_API_KEY, MODEL_URL, MODEL = '', MODEL_KEY } = process.env
const finmeter = new MultiServerMCPClient({
  finmeter: {
    transport: 'http',
    url: `${FINMETER_URL}/mcp`,
    headers: { Authorization: `Bearer ${FINMETER_API_KEY}` },
  },
})
try {
  const agent = createAgent({
    model: new ChatOpenAI({ model: MODEL, apiKey: MODEL_KEY, configuration: { baseURL: MODEL_URL } }),
    tools: await finmeter.getTools(),
  })
  const { messages } = await agent.invoke({ messages: process.argv[2] ?? 'What does AAPL cost?' })
  console.log(messages.at(-1)?.text)
} finally {
  await finmeter.close()
}
