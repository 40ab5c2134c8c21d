import { useState } from 'react'
import { maskKey } from '../../lib/mask.ts'
import { pageHeadings } from '../../lib/page-headings.ts'
import { useSettings } from '../../lib/settings.ts'
import { Card } from '../../ui/card.tsx'
import { CodeBlock } from '../../ui/code-block.tsx'
import { CopyTextButton } from '../../ui/copy/copy-text-button.tsx'
import { SelectField, TextField } from '../../ui/form/field.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Segments } from '../../ui/segments.tsx'
import { NewKeyNotice } from '../keys/new-key-notice.tsx'
import {
  figureFormula,
  googleFormula,
  powerQuery,
  rangesOf,
  type SheetRequest,
  type SheetTable,
  sheetAddress,
  tables,
  withKey,
} from './formulas.ts'
import { Preview } from './preview.tsx'
import { SheetKey, useSheetKey } from './sheet-key.tsx'
import { sheetsText as text } from './text.ts'

const placeholder = 'YOUR_API_KEY'
const first: Record<SheetTable, SheetRequest> = {
  bars: { table: 'bars', symbol: 'VIX', range: '1y' },
  quote: { table: 'quote', symbol: 'VIX', range: '' },
  series: { table: 'series', symbol: 'OIL.WTI', range: '1y' },
}
const programs = ['google', 'excel', 'figure', 'other'] as const
type Program = (typeof programs)[number]
const options = programs.map((value) => ({ value, label: text.programs[value] }))

/** Writes the formula that puts rows into a spreadsheet, with a key that can only read. */
export function SpreadsheetsPage() {
  const { publicUrl } = useSettings()
  const { value } = useSheetKey()
  const [request, setRequest] = useState<SheetRequest>(first.series)
  const [program, setProgram] = useState<Program>('google')
  const code = (key: string) => codeOf(program, publicUrl, request, key)
  return (
    <>
      <PageHeader {...pageHeadings['/dashboard/spreadsheets']} />
      <NewKeyNotice />
      <div className="space-y-6">
        <Card title={text.choose}>
          <Choice request={request} onChange={setRequest} />
        </Card>
        <Preview path={sheetAddress('', request)} />
        <Card title={text.key} about={text.keyAbout}>
          <SheetKey />
        </Card>
        <Card title={text.formula}>
          <Segments label={text.program} look="wrap" value={program} options={options} onChange={setProgram} />
          <CodeBlock
            className="mt-3"
            label={text.labels[program]}
            wrap
            code={code(value ? maskKey(value) : placeholder)}
            action={
              <CopyTextButton
                look="quiet"
                size="small"
                value={code(value ?? placeholder)}
                label={text.copy}
                done={text.copied}
              />
            }
          />
          <ol className="mt-4 max-w-[80ch] list-decimal space-y-1.5 pl-5 marker:text-muted">
            {text.steps[program].map((step) => (
              <li key={step}>{step}</li>
            ))}
          </ol>
          <p className="mt-4">
            <a href="/docs/spreadsheets" className="text-accent underline-offset-4 hover:underline">
              {text.guide}
            </a>
          </p>
        </Card>
      </div>
    </>
  )
}

function codeOf(program: Program, publicUrl: string, request: SheetRequest, key: string): string {
  const address = sheetAddress(publicUrl, request)
  switch (program) {
    case 'google':
      return googleFormula(address, key)
    case 'excel':
      return powerQuery(address, request.table, key)
    case 'figure':
      // A series has no quote: the formula then shows how it looks for a price.
      return figureFormula(
        publicUrl,
        request.table === 'series' ? first.bars.symbol : request.symbol.split(',')[0]!,
        key,
      )
    case 'other':
      return withKey(address, key)
  }
}

function Choice({ request, onChange }: { request: SheetRequest; onChange: (request: SheetRequest) => void }) {
  const { table } = request
  return (
    <div className="grid gap-4 sm:grid-cols-3">
      <SelectField
        label={text.table}
        value={table}
        onChange={({ target }) => onChange(first[target.value as SheetTable])}
      >
        {tables.map((one) => (
          <option key={one} value={one}>
            {text.tables[one]}
          </option>
        ))}
      </SelectField>
      <TextField
        label={text.symbol[table]}
        hint={text.symbolHint[table]}
        value={request.symbol}
        maxLength={80}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => onChange({ ...request, symbol: target.value })}
      />
      {rangesOf[table].length > 0 && (
        <SelectField
          label={text.range}
          value={request.range}
          onChange={({ target }) => onChange({ ...request, range: target.value })}
        >
          {rangesOf[table].map((range) => (
            <option key={range} value={range}>
              {text.ranges[range]}
            </option>
          ))}
        </SelectField>
      )}
    </div>
  )
}
