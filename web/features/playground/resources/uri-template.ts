const expression = /\{([+#./;?&]?)([^{}]+)\}/g
const namesIn = (list: string): string[] => list.split(',').map((name) => name.replace(/\*$|:\d+$/, '').trim())

/** The variables of a URI template (RFC 6570), in order, without duplicates. */
export const variablesOf = (template: string): string[] => [
  ...new Set([...template.matchAll(expression)].flatMap(([, , list]) => namesIn(list!))),
]

const joins: Record<string, { first: string; between: string; named: boolean }> = {
  '': { first: '', between: ',', named: false },
  '+': { first: '', between: ',', named: false },
  '#': { first: '#', between: ',', named: false },
  '.': { first: '.', between: '.', named: false },
  '/': { first: '/', between: '/', named: false },
  ';': { first: ';', between: ';', named: true },
  '?': { first: '?', between: '&', named: true },
  '&': { first: '&', between: '&', named: true },
}

/** Expands a URI template; empty variables are left out. Values are strings: no lists, no prefixes. */
export function expandTemplate(template: string, values: Record<string, string>): string {
  return template.replace(expression, (_whole, operator: string, list: string) => {
    const { first, between, named } = joins[operator]!
    const encode = operator === '+' || operator === '#' ? encodeURI : encodeURIComponent
    const parts = namesIn(list).flatMap((name) => {
      const value = Object.hasOwn(values, name) ? values[name]! : ''
      return value === '' ? [] : [named ? `${name}=${encode(value)}` : encode(value)]
    })
    return parts.length === 0 ? '' : first + parts.join(between)
  })
}
