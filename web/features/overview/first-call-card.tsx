import { Card } from '../../ui/card.tsx'
import { FirstCall } from './first-call.tsx'
import { firstCallText as text } from './text.ts'

/** A call to make again, for those who have made some. `quiet`: the page's first action is elsewhere. */
export const FirstCallCard = ({ quiet }: { quiet: boolean }) => (
  <Card title={text.title}>
    <FirstCall look={quiet ? 'secondary' : 'primary'} />
  </Card>
)
