import { detailsText as text } from './details-text.ts'

/** The way of one call from key to receipt. The mark that moves along it stands still under reduced motion. */
export function ChargeSteps() {
  return (
    <ol className="charge-steps relative grid gap-x-4 gap-y-5 sm:grid-cols-5">
      {text.steps.map(({ title, about }, index) => (
        <li key={title} className="relative pl-8 sm:pt-8 sm:pl-0">
          <span
            aria-hidden="true"
            style={{ animationDelay: `${index * 700}ms` }}
            className="charge-step absolute top-0 left-0 flex size-6 items-center justify-center rounded-full border border-line-strong bg-surface text-small font-strong figures"
          >
            {index + 1}
          </span>
          <h3 className="font-strong">{title}</h3>
          <p className="mt-0.5 text-pretty text-muted">{about}</p>
        </li>
      ))}
    </ol>
  )
}
