import { detailsText as text } from './details-text.ts'
import dark from './overview-dark.webp'
import light from './overview-light.webp'

const themes = [
  { picture: light, shown: 'for-light' },
  { picture: dark, shown: 'for-dark' },
]

/** The real Overview of the demonstration account, taken by `npm run pictures`, in the theme of the page. */
export function OverviewPicture() {
  return themes.map(({ picture, shown }) => (
    <img
      key={shown}
      src={picture}
      alt={text.overviewPicture}
      width={1200}
      height={750}
      loading="lazy"
      decoding="async"
      className={`${shown} h-auto w-full rounded-card border border-line object-cover object-top shadow-raised max-sm:aspect-[2.2]`}
    />
  ))
}
