import { useState } from 'react'
import { useSettings } from '../../lib/settings.ts'
import { Card } from '../../ui/card.tsx'
import { SelectField, TextField } from '../../ui/form/field.tsx'
import { FormulaCard, SheetColumns } from './formula-card.tsx'
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
import { sheetsText as text } from './text.ts'

/** Of the demonstration. */
const first: Record<SheetTable, SheetRequest> = {
  bars: { table: 'bars', symbol: 'VIX', range: '1y' },
  quote: { table: 'quote', symbol: 'VIX', range: '' },
  series: { table: 'series', symbol: 'OIL.WTI', range: '1y' },
}
/** Stands where no symbol was typed. */
const SYMBOL = 'SYMBOL'
const programs = ['google', 'excel', 'figure', 'other'] as const
type Program = (typeof programs)[number]
const options = programs.map((value) => ({ value, label: text.programs[value] }))

/** Rows of market data, by the formula of each program. */
export function TableSheets() {
  const { publicUrl, shop } = useSettings()
  const start = (table: SheetTable): SheetRequest => (shop.demo ? first[table] : { ...first[table], symbol: '' })
  const [request, setRequest] = useState<SheetRequest>(() => start(shop.demo ? 'series' : 'bars'))
  const [program, setProgram] = useState<Program>('google')
  return (
    <>
      <Card title={text.choose}>
        <div className="grid gap-4 sm:grid-cols-3">
          <SelectField
            label={text.table}
            value={request.table}
            onChange={({ target }) => setRequest(start(target.value as SheetTable))}
          >
            {tables.map((one) => (
              <option key={one} value={one}>
                {text.tables[one]}
              </option>
            ))}
          </SelectField>
          <TextField
            label={text.symbol[request.table]}
            hint={shop.demo ? text.symbolHint[request.table] : undefined}
            value={request.symbol}
            maxLength={80}
            autoComplete="off"
            spellCheck={false}
            onChange={({ target }) => setRequest({ ...request, symbol: target.value })}
          />
          {rangesOf[request.table].length > 0 && (
            <SelectField
              label={text.range}
              value={request.range}
              onChange={({ target }) => setRequest({ ...request, range: target.value })}
            >
              {rangesOf[request.table].map((range) => (
                <option key={range} value={range}>
                  {text.ranges[range]}
                </option>
              ))}
            </SelectField>
          )}
        </div>
      </Card>
      <SheetColumns>
        <FormulaCard
          program={program}
          programs={options}
          onChange={setProgram}
          label={text.labels[program]}
          code={(key) => codeOf(program, publicUrl, request, shop.demo ? first.bars.symbol : SYMBOL, key)}
          steps={text.steps[program]}
        />
        {request.symbol.trim() !== '' && <Preview path={sheetAddress('', request)} />}
      </SheetColumns>
    </>
  )
}

function codeOf(program: Program, publicUrl: string, request: SheetRequest, figure: string, key: string): string {
  const address = sheetAddress(publicUrl, request.symbol.trim() === '' ? { ...request, symbol: SYMBOL } : request)
  switch (program) {
    case 'google':
      return googleFormula(address, key)
    case 'excel':
      return powerQuery(address, request.table, key)
    case 'figure':
      // A series has no quote: the formula then shows how it looks for a price.
      return figureFormula(publicUrl, (request.table === 'series' ? '' : request.symbol.split(',')[0]!) || figure, key)
    case 'other':
      return withKey(address, key)
  }
}
