export const mcpText = {
  title: 'Remote MCP',
  about: 'Connect an AI client to the tools with one address.',
  selectKey: 'Select an API key',
  selectFirst: 'Please select an API key first.',
  generate: 'Generate & copy URL',
  generated: 'MCP connection URL generated and copied to clipboard!',
  clients: 'Connect an AI client',
  clientsAbout: 'Ready-made configuration with the key chosen above. It is masked here and whole when copied.',
  copied: 'MCP URL copied to clipboard!',
  copiedBlock: 'Copied to clipboard',
  noKeys: 'No API keys yet',
  loadingKeys: 'Loading API keys...',
}
