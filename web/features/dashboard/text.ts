/** Texts of the dashboard’s frame. */
export const dashboardText = {
  mcpTools: 'MCP Tools',
  personal: 'Personal',
  workspaces: 'Workspaces',
  switchWorkspace: (name: string) => `Workspace: ${name}. Switch`,
  open: (name: string) => `Open ${name}`,
  sessionEnded: 'Your session has ended',
  sessionEndedAbout: 'Sign in again in a new tab. What you typed here is kept.',
  logInAgain: 'Sign in again',
  discard: 'Discard and sign in here',
  commands: 'Commands',
  commandsPlaceholder: 'Search pages, actions, keys and docs...',
  noCommands: 'Nothing found',
  search: 'Go to...',
}
