import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useSettings } from '../../lib/settings.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { SelectField, TextField } from '../../ui/form/field.tsx'
import { RestAnswer } from '../answer/rest-answer.tsx'
import { sendCall } from '../answer/send-call.ts'
import { type CallInput, callAddress, type SoldCall } from '../snippets/sold-calls.ts'
import { FormulaCard, SheetColumns } from './formula-card.tsx'
import { appsScript, functionName, powerQueryOfJson } from './formulas.ts'
import { useSheetKey } from './sheet-key.tsx'
import { sheetsText as text } from './text.ts'

const programs = ['google', 'excel'] as const
type Program = (typeof programs)[number]
const options = programs.map((value) => ({ value, label: text.programs[value] }))

/** Calls of the operator's own API, which respond with JSON. */
export function CallSheets({ calls }: { calls: SoldCall[] }) {
  const { publicUrl } = useSettings()
  const [{ operation, values }, choose] = useState({
    operation: calls[0]!.operation,
    values: {} as Record<string, string>,
  })
  const [program, setProgram] = useState<Program>('google')
  const call = calls.find((one) => one.operation === operation)!
  const name = functionName(operation)
  const address = callAddress(publicUrl, call, values)
  return (
    <>
      <Card title={text.chooseCall} about={text.callCosts(call.price)}>
        <div className="grid gap-4 sm:grid-cols-3">
          <SelectField
            label={text.call}
            value={operation}
            onChange={({ target }) => choose({ operation: target.value, values: {} })}
          >
            {calls.map((one) => (
              <option key={one.operation} value={one.operation}>
                {one.title}
              </option>
            ))}
          </SelectField>
          {call.inputs.map((input) => (
            <Input
              key={input.name}
              input={input}
              value={values[input.name] ?? input.value}
              onChange={(value) => choose({ operation, values: { ...values, [input.name]: value } })}
            />
          ))}
        </div>
      </Card>
      <SheetColumns>
        <FormulaCard
          program={program}
          programs={options}
          onChange={setProgram}
          label={program === 'google' ? text.appsScript : text.labels.excel}
          code={(key) => (program === 'google' ? appsScript(name, address, key) : powerQueryOfJson(address, key))}
          steps={program === 'google' ? text.scriptSteps(name) : text.steps.excel}
        />
        <CallPreview key={address} path={callAddress('', call, values)} />
      </SheetColumns>
    </>
  )
}

function Input({ input, value, onChange }: { input: CallInput; value: string; onChange: (value: string) => void }) {
  const { name, required, choices } = input
  const shared = { label: name, value, required }
  if (!choices)
    return (
      <TextField
        {...shared}
        maxLength={200}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => onChange(target.value)}
      />
    )
  return (
    <SelectField {...shared} onChange={({ target }) => onChange(target.value)}>
      {!required && <option value="">{text.notSet}</option>}
      {choices.map((choice) => (
        <option key={choice}>{choice}</option>
      ))}
    </SelectField>
  )
}

/** The response, once it is asked for: it is paid with the key of the sheet. */
function CallPreview({ path }: { path: string }) {
  const { value } = useSheetKey()
  const { data, isPending, isError, mutate } = useMutation({ mutationFn: (key: string) => sendCall({ path }, key) })
  return (
    <Card
      title={text.preview}
      about={value ? text.previewCall : text.previewKey}
      aside={
        <Button size="small" busy={isPending} disabled={value === null} onClick={() => value && mutate(value)}>
          {text.show}
        </Button>
      }
    >
      {isError && (
        <p role="alert" className="text-danger">
          {text.previewFailed}
        </p>
      )}
      {data && <RestAnswer answer={data} />}
    </Card>
  )
}
