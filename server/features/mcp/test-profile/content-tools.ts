import { MissingRequiredClientCapabilityError } from '@modelcontextprotocol/server'
import type { ProtocolTool } from '../profile.ts'
import { declaredBy, fixture, pauseMs, text } from './protocol-tool.ts'
import { PIXEL_PNG, silentWav } from './samples.ts'

const STEP_MS = 50
const image = { type: 'image' as const, data: PIXEL_PNG, mimeType: 'image/png' }

/** Tools that return every kind of content, errors, progress and logs. */
export const contentTools: ProtocolTool[] = [
  fixture('test_simple_text', 'Answers one text.', () => ({
    content: [text('This is a simple text response for testing.')],
  })),
  fixture('test_image_content', 'Answers an image.', () => ({ content: [image] })),
  fixture('test_audio_content', 'Answers a sound.', () => ({
    content: [{ type: 'audio', data: silentWav(), mimeType: 'audio/wav' }],
  })),
  fixture('test_embedded_resource', 'Answers a resource.', () => ({
    content: [
      {
        type: 'resource',
        resource: {
          uri: 'test://embedded-resource',
          mimeType: 'text/plain',
          text: 'This is an embedded resource content.',
        },
      },
    ],
  })),
  fixture('test_multiple_content_types', 'Answers text, image and resource.', () => ({
    content: [
      text('Multiple content types test:'),
      image,
      {
        type: 'resource',
        resource: {
          uri: 'test://mixed-content-resource',
          mimeType: 'application/json',
          text: JSON.stringify({ test: 'data', value: 123 }),
        },
      },
    ],
  })),
  fixture('test_error_handling', 'Always fails.', () => ({
    isError: true,
    content: [text('This tool intentionally returns an error for testing')],
  })),
  fixture(
    'test_tool_with_progress',
    'Reports progress.',
    async (_args, { mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken
      for (const progress of [0, 50, 100]) {
        if (progressToken !== undefined)
          await mcpReq.notify({
            method: 'notifications/progress',
            params: { progressToken, progress, total: 100, message: `${progress} of 100` },
          })
        await pauseMs(STEP_MS)
      }
      return { content: [text('Done with progress.')] }
    },
    { streams: true },
  ),
  fixture(
    'test_tool_with_logging',
    'Logs while it works.',
    async (_args, { mcpReq }) => {
      for (const line of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
        await mcpReq.log('info', line)
        await pauseMs(STEP_MS)
      }
      return { content: [text('Done with logging.')] }
    },
    { streams: true },
  ),
  fixture(
    'test_logging_tool',
    'Logs if the request asks for it.',
    async (_args, { mcpReq }) => {
      await mcpReq.log('info', 'A line of the log')
      return { content: [text('Logged.')] }
    },
    { streams: true },
  ),
  fixture('test_missing_capability', 'Needs a client that samples.', (_args, context) => {
    if (!declaredBy(context).sampling)
      throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } })
    return { content: [text('The client can sample.')] }
  }),
  fixture('test_trigger_tool_change', 'Tells subscribers that tools changed.', (_args, _context, notify) => {
    notify.toolsChanged()
    return { content: [text('Told.')] }
  }),
  fixture('test_trigger_prompt_change', 'Tells subscribers that prompts changed.', (_args, _context, notify) => {
    notify.promptsChanged()
    return { content: [text('Told.')] }
  }),
]
