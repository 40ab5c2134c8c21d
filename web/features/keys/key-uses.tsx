import { MessagesSquare, SquareTerminal, Table2 } from '../../ui/icons/public.ts'
import { keysText } from './text.ts'

const icons = [SquareTerminal, MessagesSquare, Table2]

/** What one key is for. */
export const KeyUses = () => (
  <dl className="grid gap-x-6 gap-y-4 text-left sm:grid-cols-3">
    {keysText.uses.map(({ name, about }, index) => {
      const Icon = icons[index]!
      return (
        <div key={name} className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3">
          <Icon aria-hidden="true" className="row-span-2 mt-0.5 size-5 text-accent" />
          <dt className="font-strong">{name}</dt>
          <dd className="text-muted">{about}</dd>
        </div>
      )
    })}
  </dl>
)
