import type { CSSProperties } from 'react'
import { Badge } from '../../../ui/badge.tsx'
import { Card } from '../../../ui/card.tsx'
import type { CheckedShop } from './draft.ts'

type Tones = NonNullable<CheckedShop['accent']>['light']

interface PreviewProps {
  name: string
  promise: string
  accent: CheckedShop['accent']
  /** Addresses of pictures: of a file that is not stored yet, too. */
  logo: string | null
  logoDark: string | null
}

/** Contrast that WCAG AA asks of text. */
const AA = 4.5
const surfaces = {
  light: { background: '#ffffff', color: '#14181e', borderColor: '#d7dce1' },
  dark: { background: '#111317', color: '#eef1f4', borderColor: '#2e343c' },
} as const
const builtIn = { light: '#0b6d89', dark: '#58c4e0' }

/** The header, the promise, a link and a tinted note, as customers will see them in each theme. */
export function ShopPreview(props: PreviewProps) {
  return (
    <Card title="Preview" about="How your shop will look with the settings in the form.">
      <div className="grid gap-4">
        <Themed {...props} theme="light" tones={props.accent?.light} picture={props.logo} />
        <Themed {...props} theme="dark" tones={props.accent?.dark} picture={props.logoDark ?? props.logo} />
      </div>
    </Card>
  )
}

interface ThemedProps extends Pick<PreviewProps, 'name' | 'promise'> {
  theme: 'light' | 'dark'
  tones: Tones | undefined
  picture: string | null
}

function Themed({ name, promise, theme, tones, picture }: ThemedProps) {
  const isReadable = tones !== undefined && tones.contrast >= AA
  // A color that cannot be read is shown as a color, not as text.
  const color = isReadable ? tones.text : builtIn[theme]
  const tint: CSSProperties = isReadable
    ? { background: tones.soft, borderColor: tones.line, color }
    : { color, borderColor: color }
  return (
    <section aria-label={theme === 'light' ? 'Light' : 'Dark'} className="space-y-2">
      <p className="flex flex-wrap items-center gap-2 text-muted">
        {theme === 'light' ? 'Light' : 'Dark'}
        {tones && (
          <>
            <span
              aria-hidden="true"
              className="size-4 rounded-[4px] border border-line"
              style={{ background: tones.text }}
            />
            <Badge tone={isReadable ? 'success' : 'danger'}>
              Contrast {tones.contrast.toFixed(2)}, needs {AA}
            </Badge>
          </>
        )}
      </p>
      <div className="space-y-3 rounded-control border p-4" style={surfaces[theme]} aria-hidden="true">
        <p className="flex items-center gap-2 font-strong">
          {picture ? (
            <img src={picture} alt="" className="h-5 max-w-24 object-contain" />
          ) : (
            <span
              className="grid size-5 place-items-center rounded-[5px] text-small"
              style={{ background: color, color: theme === 'light' ? '#ffffff' : '#0b0d10' }}
            >
              {[...name.trim()][0]?.toUpperCase() ?? '·'}
            </span>
          )}
          <span className="truncate">{name || 'Your name'}</span>
        </p>
        <p className="text-title font-strong text-balance break-words">{promise || 'Your tagline, in one line'}</p>
        <p className="flex flex-wrap items-center gap-4">
          <span className="underline underline-offset-4" style={{ color }}>
            Documentation
          </span>
          <span className="rounded-full border px-2 text-small font-strong" style={tint}>
            1 credit
          </span>
        </p>
      </div>
    </section>
  )
}
