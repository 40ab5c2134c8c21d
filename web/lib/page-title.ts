/** The title of the page being rendered, for the server, which runs no effects. */
export const renderedTitle = { value: 'Finmeter' }

export const fullTitle = (title: string) => (title === 'Finmeter' ? title : `${title} · Finmeter`)
