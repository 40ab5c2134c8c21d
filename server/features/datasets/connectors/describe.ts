import { connectors } from './list.ts'
import { connectorFiles, type RunReport } from './run-state.ts'

/** Connectors, their terms and their last runs as lines for a terminal. */
export async function connectorLines(root: string): Promise<string[]> {
  const lines: string[] = []
  for (const [name, { manifest }] of connectors) {
    const { terms, schedule, secret, title } = manifest
    const { lastRun, lastGoodAt } = await connectorFiles(root, name).readState()
    const ai = terms.aiClients === null ? 'ask the source' : terms.aiClients ? 'yes' : 'no'
    lines.push(
      `${name}  ${title}`,
      `  schedule (UTC)  ${schedule}`,
      `  license         ${terms.license}; ${terms.attribution}`,
      `  redistribution  ${terms.redistribution}; AI clients: ${ai}; ${terms.url}`,
      ...(secret ? [`  key             ${secret}`] : []),
      `  last run        ${lastRun ? `${lastRun.finishedAt} ${lastRun.outcome}` : 'none'}`,
      ...(lastGoodAt ? [`  data as of      ${lastGoodAt}`] : []),
    )
  }
  return lines
}

/** A run as lines for a terminal. */
export function runLines(report: RunReport): string[] {
  const { connector, outcome, reasons, requests, bytes, rows, versions, retryAt } = report
  const said = {
    published: 'published',
    unchanged: 'nothing new',
    refused: 'refused; the last good version stays',
    failed: 'failed; the last good version stays. Run it again to go on',
    stopped: 'stopped. Run it again to go on',
  }[outcome]
  return [
    `${connector}: ${said}. ${requests} requests, ${(bytes / 1e6).toFixed(1)} MB, ${rows.toLocaleString('en-US')} rows.`,
    ...reasons.map((reason) => `  ${reason}`),
    ...(retryAt ? [`  The source can be asked again after ${retryAt}.`] : []),
    ...Object.entries(versions).map(([id, version]) => `  ${id} ${version} is served.`),
  ]
}
