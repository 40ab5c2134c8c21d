import { Card } from '../../ui/card.tsx'
import FirstCall from './first-call.tsx'
import { firstCallText as text } from './text.ts'

/** A call to make again, for those who have made some. The page's first action is elsewhere. */
export const FirstCallCard = () => (
  <Card title={text.title}>
    <FirstCall look="secondary" />
  </Card>
)
