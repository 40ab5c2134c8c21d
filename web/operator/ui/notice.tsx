import type { ReactNode } from 'react'

const tones = {
  warning: 'border-warning-line bg-warning-soft text-warning',
  danger: 'border-danger-line bg-danger-soft text-danger',
} as const

/** What concerns the whole page. A danger is announced at once. */
export const Notice = ({ tone, children }: { tone: keyof typeof tones; children: ReactNode }) => (
  <p role={tone === 'danger' ? 'alert' : 'status'} className={`rounded-card border px-5 py-3 ${tones[tone]}`}>
    {children}
  </p>
)
