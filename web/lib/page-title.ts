import { shopName } from './shop.ts'

/** The title of the page being rendered, for the server, which runs no effects. */
export const renderedTitle = { value: '' }

export const fullTitle = (title: string): string => `${title} · ${shopName()}`
