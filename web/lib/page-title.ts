/** The title that the page being drawn asks for; how the server learns it, which runs no effects. */
export const drawnTitle = { value: 'Finmeter' }

export const fullTitle = (title: string) => (title === 'Finmeter' ? title : `${title} · Finmeter`)
