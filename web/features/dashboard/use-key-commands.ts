import { useNavigate } from '@tanstack/react-router'
import type { ApiKey } from '#contract/keys.ts'
import { useSettings } from '../../lib/settings.ts'
import { useCopy } from '../../ui/copy/use-copy.ts'
import { Plug } from '../../ui/icons/docs.ts'
import { Copy } from '../../ui/icons/public.ts'
import { isWholeKey } from '../keys/queries.ts'
import { installs, mcpUrl } from '../mcp/install.ts'
import { mcpText } from '../mcp/text.ts'
import type { Command } from './commands.ts'

/** Connecting a client with the first key, like Overview's default. */
export function useKeyCommands([first]: readonly ApiKey[]): Command[] {
  const navigate = useNavigate()
  const { publicUrl } = useSettings()
  const { copy } = useCopy()
  if (!first) return []
  const whole = isWholeKey(first.unkey)
  return [
    {
      id: 'copy-mcp-url',
      group: 'Actions',
      label: 'Copy MCP URL',
      icon: Copy,
      words: first.name,
      run: () =>
        void copy(
          mcpUrl(publicUrl, whole ? first.unkey : 'YOUR_API_KEY'),
          whole ? mcpText.copied : mcpText.generatedWithoutKey,
        ),
    },
    ...installs(publicUrl, first.unkey, whole).map(({ id, name }) => ({
      id: `connect-${id}`,
      group: 'Actions',
      label: `Connect ${name}`,
      icon: Plug,
      words: 'MCP client configuration',
      searchedOnly: true as const,
      run: () => navigate({ to: '/dashboard', hash: `connect-${id}` }),
    })),
  ]
}
