/** The tabs in sidebar order; their names are also used in the URL. */
export const tabs = ['chat', 'servers', 'tools', 'settings'] as const
export type Tab = (typeof tabs)[number]
