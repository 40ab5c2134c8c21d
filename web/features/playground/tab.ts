/** The tabs in the order of the sidebar; their names are also what stands in the address. */
export const tabs = ['chat', 'servers', 'tools', 'settings'] as const
export type Tab = (typeof tabs)[number]
