import { Button } from '../../../ui/button.tsx'

interface ShowMoreProps {
  query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown }
  label: string
}

/** The next page of a list, if there is one. */
export const ShowMore = ({ query, label }: ShowMoreProps) =>
  query.hasNextPage && (
    <div className="px-5 py-3">
      <Button size="small" busy={query.isFetchingNextPage} onClick={() => query.fetchNextPage()}>
        {label}
      </Button>
    </div>
  )
