import { formatWhole } from '../../lib/format.ts'
import type { SheetTable } from './formulas.ts'

export const sheetsText = {
  about: 'Read data into a spreadsheet, with a key that can only read.',
  choose: 'Choose your rows',
  chooseCall: 'Choose your call',
  call: 'Call',
  callCosts: (price: string) => (price === '' ? undefined : `Costs ${price}, each time that the sheet reads it.`),
  notSet: 'Not set',
  nothingSold: 'Nothing that is sold here can be read into a spreadsheet.',
  soldFailed: 'The calls could not be loaded',
  table: 'Rows',
  tables: { bars: 'Prices by day', quote: 'Latest quotes', series: 'Economic series' } satisfies Record<
    SheetTable,
    string
  >,
  symbol: { bars: 'Symbol', quote: 'Symbols', series: 'Series' } satisfies Record<SheetTable, string>,
  symbolHint: {
    bars: 'Such as VIX or BTC/USD.',
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
  preview: 'Preview',
  previewAsk: 'The rows that the formula returns.',
  previewAbout: (rows: number, credits: number) =>
    `${formatWhole(rows)} ${rows === 1 ? 'row' : 'rows'} in one request, which cost ${credits === 0 ? 'nothing with the demonstration key' : `${formatWhole(credits)} ${credits === 1 ? 'credit' : 'credits'}`}.`,
  previewCall: 'The response that the sheet gets. Showing it costs the same as in the sheet.',
  previewKey: 'Create the read-only key to see the response.',
  previewLoading: 'Loading rows...',
  previewFailed: 'The rows could not be loaded. Try again.',
  show: 'Show the rows',
  earlier: (rows: string) => `and ${rows} earlier rows`,
  keyAbout: 'Everyone who can open a sheet can read the key in it. So sheets get a read-only key with a budget.',
  keyName: 'Spreadsheets',
  createKey: 'Create a read-only key',
  keyCreated: 'API key created successfully!',
  keyFailed: 'The key could not be created.',
  keyUsed: (name: string) => `Uses the read-only key ${name}.`,
  keyHidden: (name: string) =>
    `The value of ${name} is not shown here. Replace YOUR_API_KEY with it, or create another key.`,
  keyLimit: 'It spends at most 1,000 credits a month. You can change this limit on the key’s page.',
  managersOnly: 'Only owners and admins can create keys. Ask one of them for a read-only key.',
  formula: 'Copy the formula',
  program: 'Spreadsheet',
  programs: { google: 'Google Sheets', excel: 'Excel', figure: 'Single value', other: 'Others' },
  labels: { google: 'Cell', excel: 'Power Query, Advanced Editor', figure: 'Cell', other: 'URL' },
  steps: {
    google: [
      'Paste the formula into a cell.',
      'Allow the sheet to load external data.',
      'The rows fill the cells below. While the sheet is open, Google requests them again about once an hour. Each request costs credits.',
    ],
    excel: [
      'Choose Data, Get Data, From Other Sources, Blank Query.',
      'Choose Home, Advanced Editor, and paste this text. If Excel asks how to connect, choose Anonymous.',
      'Choose Close & Load. To read the rows again, press Refresh All.',
    ],
    figure: [
      'Paste the formula into a cell of Excel for Windows or LibreOffice. It returns the latest price of one symbol.',
      'If LibreOffice asks, allow the link.',
    ],
    other: [
      'In LibreOffice, choose Sheet, External Links. Paste the URL and press Enter.',
      'Any program that opens CSV files from a URL can read this one.',
    ],
  },
  appsScript: 'Apps Script',
  scriptSteps: (name: string) => [
    'In the sheet, choose Extensions, Apps Script. Paste this text and save it.',
    `In a cell, type =${name}() and press Enter. The rows fill the cells below.`,
    'Each time that the sheet calculates the cell, it makes a call, which costs credits.',
  ],
  copy: 'Copy',
  copied: 'Formula copied to clipboard',
  guide: 'Guide to spreadsheets',
}
