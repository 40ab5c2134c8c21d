import type { PreparedShop } from '../prepare-shop.ts'
import { letterMark } from '../read-logo.ts'

/** A shop as it is read from a file with a name alone. */
export function shopOf(name: string): PreparedShop {
  const mark = letterMark(name, { light: '#0b6d89', dark: '#58c4e0' })
  return {
    stored: {
      name,
      logo: { hash: mark.hash, type: mark.type },
      drawn: true,
      key_prefix: 'fm_',
      powered_by: true,
      pages: {},
    },
    assets: [mark],
  }
}
