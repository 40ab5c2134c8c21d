import { clsx } from 'clsx'
import { detailsText as text } from './details-text.ts'
import dark from './overview-dark.webp'
import light from './overview-light.webp'

const themes = [
  { picture: light, shown: 'for-light' },
  { picture: dark, shown: 'for-dark' },
]

/**
 * The real Overview of the demonstration account, taken by `npm run pictures`, in the theme of the page. Phones, and a page that
 * has half of its width for it, show its middle, so that its figures can be read.
 */
export function OverviewPicture({ half = false }: { half?: boolean }) {
  return (
    <div
      className={clsx(
        'overflow-hidden rounded-card border border-line shadow-raised max-sm:aspect-[2.15]',
        half && 'sm:aspect-[1.6]',
      )}
    >
      {themes.map(({ picture, shown }) => (
        <img
          key={shown}
          src={picture}
          alt={text.overviewPicture}
          width={1200}
          height={750}
          loading="lazy"
          decoding="async"
          className={clsx(
            shown,
            'h-auto max-w-none mask-b-from-85% max-sm:-mt-[27%] max-sm:-ml-[54%] max-sm:w-[200%]',
            half ? 'sm:-mt-[7%] sm:-ml-1/3 sm:w-4/3' : 'sm:w-full',
          )}
        />
      ))}
    </div>
  )
}
