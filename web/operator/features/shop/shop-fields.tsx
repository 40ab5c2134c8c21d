import { Checkbox } from '../../../ui/form/checkbox.tsx'
import { TextField } from '../../../ui/form/field.tsx'
import { ChoiceField } from '../../ui/choice-field.tsx'
import type { Shop, ShopForm } from './draft.ts'
import { LogoField } from './logo-field.tsx'

interface ShopFieldsProps {
  form: ShopForm
  shop: Shop
  errorOf: (field: string) => string | undefined
  onChange: (change: Partial<ShopForm>) => void
  onPicture: (change: { logo?: string | null; logo_dark?: string | null }) => void
}

const logos = [
  { key: 'logo', label: 'Logo', hint: 'SVG, PNG, JPEG or WebP, at most 256 KiB.' },
  { key: 'logo_dark', label: 'Logo for dark surfaces', hint: 'If empty, the same logo is used.' },
] as const

/** The keys of shop.yaml, in its order. */
export function ShopFields({ form, shop, errorOf, onChange, onPicture }: ShopFieldsProps) {
  const field = (key: 'name' | 'promise' | 'support' | 'sender' | 'key_prefix' | 'time_zone') => ({
    value: form[key],
    error: errorOf(key),
    onChange: (event: { target: { value: string } }) => onChange({ [key]: event.target.value }),
  })
  const list = !['default', 'on', 'off'].includes(form.builtins)
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <TextField label="Name" hint="Shown on every page, document and email." {...field('name')} />
      <TextField label="Tagline" hint="One line. It is the headline of the home page." {...field('promise')} />
      <TextField
        label="Accent color"
        hint="For links and marks on light surfaces, such as #a03a00."
        placeholder="#0b6d89"
        value={form.accent}
        error={errorOf('accent')}
        onChange={(event) => onChange({ accent: event.target.value.trim() })}
      />
      <TextField
        label="Accent color on dark surfaces"
        hint="If empty, the accent color is lightened until it is readable."
        value={form.accentDark}
        onChange={(event) => onChange({ accentDark: event.target.value.trim() })}
      />
      {logos.map(({ key, label, hint }) => (
        <LogoField
          key={key}
          label={label}
          hint={hint}
          error={errorOf(key)}
          value={form[key]}
          served={shop[key]}
          onChange={(logo, picture) => {
            onChange({ [key]: logo })
            onPicture({ [key]: picture })
          }}
        />
      ))}
      <TextField label="Support email" hint="Where customers write to." type="email" {...field('support')} />
      <TextField
        label="Email sender"
        hint={
          shop.sender.sends
            ? `Currently ${shop.sender.used}. A new address must be confirmed with a code.`
            : 'No mail server is set (SMTP_URL), so no email is sent.'
        }
        type="email"
        {...field('sender')}
      />
      <TextField label="Key prefix" hint="New keys start with it. Existing keys stay valid." {...field('key_prefix')} />
      <TextField
        label="Time zone"
        hint="For dates on the web pages, such as Europe/Berlin. If empty, the visitor's time zone is used."
        {...field('time_zone')}
      />
      <div className="space-y-4">
        <ChoiceField
          label="Built-in tools"
          value={list ? 'list' : form.builtins}
          options={{ default: 'All, until you decide', on: 'All', off: 'None', list: 'Some of them' }}
          onChange={(choice) => onChange({ builtins: choice === 'list' ? 'market-data' : choice })}
        />
        {list && (
          <TextField
            label="Groups and tools to keep"
            hint={`Separated by commas. Groups: ${shop.builtins.filter((name) => name.includes('-') || name === 'examples').join(', ')}.`}
            value={form.builtins}
            error={errorOf('builtins')}
            onChange={(event) => onChange({ builtins: event.target.value })}
          />
        )}
      </div>
      <div className="self-end">
        <Checkbox
          label="Footers say “Powered by Finmeter”"
          checked={form.powered_by}
          onChange={(event) => onChange({ powered_by: event.target.checked })}
        />
      </div>
    </div>
  )
}
