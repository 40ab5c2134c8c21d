import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { KnowledgeResource } from '../../mcp/knowledge.ts'

/**
 * A chart of a table with dates, for hosts that show tool views (MCP Apps, io.modelcontextprotocol/ui, version
 * 2026-01-26). A self-contained page: the host passes it the tool's result.
 */
export const chartView: KnowledgeResource = {
  uri: 'ui://finmeter/chart',
  name: 'chart',
  title: 'Chart',
  description: 'Charts the result of get_bars or get_economic_series.',
  mimeType: 'text/html;profile=mcp-app',
}

export const chartHtml = readFileSync(join(import.meta.dirname, 'chart-view.html'), 'utf8')
