/** The tool server that the playground connects to automatically. */
export const ownServer = 'finmeter'
