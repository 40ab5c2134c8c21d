import type { SheetTable } from './formulas.ts'

export const sheetsText = {
  choose: 'Choose your rows',
  table: 'Rows',
  tables: { bars: 'Prices by day', quote: 'Latest quotes', series: 'Economic series' } satisfies Record<
    SheetTable,
    string
  >,
  symbol: { bars: 'Symbol', quote: 'Symbols', series: 'Series' } satisfies Record<SheetTable, string>,
  symbolHint: {
    bars: 'Such as AAPL or BTC/USD.',
    quote: 'One, or several with commas between them.',
    series: 'Such as OIL.WTI or US.CPI.',
  } satisfies Record<SheetTable, string>,
  range: 'Range',
  ranges: {
    '1mo': '1 month',
    '3mo': '3 months',
    '6mo': '6 months',
    ytd: 'Year to date',
    '1y': '1 year',
    '5y': '5 years',
    '10y': '10 years',
    '20y': '20 years',
    max: 'Everything',
  } as Record<string, string>,
  key: 'Key',
  keyAbout:
    'A sheet stores its key where everyone who can edit it can read it. So it gets a key that can only read, with a budget.',
  keyName: 'Spreadsheets',
  createKey: 'Create a read-only key',
  keyCreated: 'API key created successfully!',
  keyFailed: 'The key could not be created.',
  keyUsed: (name: string) => `Uses the read-only key ${name}.`,
  keyHidden: (name: string) =>
    `The value of ${name} is not shown here. Replace YOUR_API_KEY with it, or create another key.`,
  keyLimit: 'It spends at most 1,000 credits a month. You can change that on its page.',
  managersOnly: 'Only owners and admins can create keys. Ask one for a key that can only read.',
  formula: 'Take the formula',
  program: 'Spreadsheet',
  programs: { google: 'Google Sheets', excel: 'Excel', figure: 'One figure', other: 'Others' },
  labels: { google: 'Cell', excel: 'Power Query, Advanced Editor', figure: 'Cell', other: 'Address' },
  steps: {
    google: [
      'Paste the formula into a cell.',
      'Confirm that the sheet may load external data.',
      'The rows fill the cells below. While the sheet is open, Google asks again about once an hour, and each time costs credits.',
    ],
    excel: [
      'Data, Get Data, From Other Sources, Blank Query.',
      'Home, Advanced Editor: paste this text. Choose Anonymous if Excel asks how to connect.',
      'Close & Load. The rows are read again when you press Refresh All.',
    ],
    figure: [
      'Paste the formula into a cell of Excel for Windows or LibreOffice. It is the latest price of one symbol.',
      'LibreOffice: allow the link when it asks.',
    ],
    other: [
      'LibreOffice: Sheet, External Links. Paste the address and press Enter.',
      'Any program that opens CSV files from an address can read this one.',
    ],
  },
  copy: 'Copy',
  copied: 'Formula copied to clipboard',
  guide: 'Guide, add-ons and custom functions',
}
