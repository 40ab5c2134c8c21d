import { Skeleton } from '../../ui/skeleton.tsx'

/** A plan's card while the catalogue is on its way: name, price, sentence, what it includes, and its button. */
export function PlanSkeleton({ button = true }: { button?: boolean }) {
  return (
    <div className="rounded-card border border-line bg-surface p-5">
      <Skeleton className="h-5 w-24" />
      <Skeleton className="mt-3 h-8 w-32" />
      <Skeleton className="mt-3 h-4 w-4/5" />
      <div className="mt-5 space-y-3 border-t border-line pt-4">
        {['w-3/4', 'w-2/3', 'w-1/2'].map((width) => (
          <Skeleton key={width} className={`h-4 ${width}`} />
        ))}
      </div>
      {button && <Skeleton className="mt-7 h-9 w-full" />}
    </div>
  )
}
