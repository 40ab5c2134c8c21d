/** A symbol as exchanges list it: BRK-B and brk.b are BRK.B, IBM.XNYS is IBM. */
export const listedSymbol = (name: string): string =>
  name
    .normalize('NFKC')
    .trim()
    .toUpperCase()
    .replace(/\.(XNYS|XNAS|US)$/, '')
    .replace(/^([A-Z]+)[-/]([A-Z])$/, '$1.$2')
