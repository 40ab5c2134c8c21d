import { useState } from 'react'
import { messageOf } from '../../../lib/http/api-error.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { TextField } from '../../../ui/form/field.tsx'
import { ActDialog } from '../../layout/act-dialog.tsx'
import { ProofWhenAsked } from '../../layout/proof-dialog.tsx'
import type { Data } from '../../lib/api.ts'
import { count } from '../../lib/format.ts'
import { useFresh } from '../../lib/use-fresh.ts'
import { ChoiceField } from '../../ui/choice-field.tsx'
import { FileField } from '../../ui/file-field.tsx'
import { columnsOf, guessFields, manifestOf, needed, optional, type UploadForm } from './upload-form.ts'

type Checked = Data<'POST /datasets/check'>

const MOST_CHARACTERS = 900_000
const empty: UploadForm = {
  id: '',
  name: '',
  currency: 'USD',
  license: 'our own',
  publisher: '',
  redistribution: 'internal',
  dates: 'iso',
  fields: {},
}

/** A CSV of daily prices: its columns, a check, and then what customers get. */
export function UploadCard({ onClose }: { onClose: () => void }) {
  const check = useFresh('POST /datasets/check')
  const [csv, setCsv] = useState<string | null>(null)
  const [tooLarge, setTooLarge] = useState<string | null>(null)
  const [form, setForm] = useState(empty)
  const [checked, setChecked] = useState<{ data: Checked; of: UploadForm; csv: string } | null>(null)
  const [publishing, setPublishing] = useState(false)
  const columns = csv === null ? [] : columnsOf(csv)
  const set = (change: Partial<UploadForm>) => setForm((before) => ({ ...before, ...change }))
  const text = (key: 'id' | 'name' | 'currency' | 'license' | 'publisher') => ({
    value: form[key],
    onChange: (event: { target: { value: string } }) => set({ [key]: event.target.value }),
  })
  const choose = async (file: File) => {
    const content = await file.text()
    if (content.length > MOST_CHARACTERS)
      return setTooLarge(
        'This file has more than 900,000 characters. Publish it on the command line: npm run data -- publish',
      )
    setTooLarge(null)
    setCsv(content)
    set({ fields: guessFields(columnsOf(content)) })
  }
  const isChecked = checked !== null && checked.of === form && checked.csv === csv
  const isReady = isChecked && checked.data.findings.every(({ severity }) => severity !== 'error')
  const send = () => {
    if (csv !== null) check.send({ manifest: manifestOf(form), csv }, (data) => setChecked({ data, of: form, csv }))
  }
  return (
    <Card
      title="Upload prices"
      about="A CSV file with a header row, and one row for each symbol and day."
      aside={
        <Button size="small" onClick={onClose}>
          Close
        </Button>
      }
    >
      <div className="space-y-4">
        <FileField label="File" error={tooLarge} accept=".csv,text/csv" onChoose={choose} />
        {csv !== null && (
          <>
            <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3">
              <TextField label="ID" hint="Lowercase letters, digits and hyphens." {...text('id')} />
              <TextField label="Name" {...text('name')} />
              <TextField label="Publisher" hint="The owner of the data." {...text('publisher')} />
              <TextField label="License" {...text('license')} />
              <TextField label="Currency" hint="A currency code, such as USD." {...text('currency')} />
              <ChoiceField
                label="Readable by"
                value={form.redistribution}
                options={{
                  internal: 'All customers',
                  delayed: 'All customers, delayed',
                  open: 'Everyone, without an account',
                }}
                onChange={(redistribution) => set({ redistribution })}
              />
              <ChoiceField
                label="Date format"
                value={form.dates}
                options={{ iso: '2026-11-27', yyyymmdd: '20261127', dmy: '27.11.2026', mdy: '11/27/2026' }}
                onChange={(dates) => set({ dates })}
              />
              {[...needed, ...optional].map((field) => (
                <ChoiceField
                  key={field}
                  label={`Column for ${field}`}
                  value={form.fields[field] ?? ''}
                  options={{
                    '': (needed as readonly string[]).includes(field) ? 'Choose one' : 'None',
                    ...Object.fromEntries(columns.map((column) => [column, column])),
                  }}
                  onChange={(column) => set({ fields: { ...form.fields, [field]: column } })}
                />
              ))}
            </div>
            {isChecked && <Findings checked={checked.data} />}
            <p role="alert" className="whitespace-pre-line text-danger empty:hidden">
              {check.error && messageOf(check.error, 'The file could not be checked.')}
            </p>
            {isReady ? (
              <Button look="primary" onClick={() => setPublishing(true)}>
                Publish
              </Button>
            ) : (
              <Button look="primary" busy={check.isPending} onClick={send}>
                {check.isPending ? 'Checking' : 'Check'}
              </Button>
            )}
          </>
        )}
      </div>
      {publishing && checked && (
        <ActDialog
          line="POST /datasets"
          title={`Publish ${form.name || form.id}`}
          about={`Customers can read its ${count(checked.data.rows)} rows within two seconds. They replace the previous version, which is kept.`}
          submit="Publish"
          busy="Publishing"
          input={() => ({ manifest: manifestOf(form), csv: checked.csv })}
          onDone={onClose}
          onClose={() => setPublishing(false)}
        />
      )}
      <ProofWhenAsked of={check} />
    </Card>
  )
}

function Findings({ checked: { rows, first, last, findings } }: { checked: Checked }) {
  return (
    <section aria-label="Findings" aria-live="polite" className="space-y-2">
      <p>
        {count(rows)} rows, {first} to {last}.{findings.length === 0 && ' No problems were found.'}
      </p>
      {findings.map(({ code, severity, count: times, examples }) => (
        <div key={code}>
          <p className="flex flex-wrap items-center gap-2">
            <Badge tone={severity === 'error' ? 'danger' : 'warning'}>{severity}</Badge>
            <code className="font-mono">{code}</code> {times === 1 ? 'once' : `${count(times)} times`}
          </p>
          <ul className="mt-1 list-disc pl-5 text-small text-muted">
            {examples.map((example) => (
              <li key={example} className="break-words">
                {example}
              </li>
            ))}
          </ul>
        </div>
      ))}
    </section>
  )
}
