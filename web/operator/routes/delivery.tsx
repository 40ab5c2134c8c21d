import { createFileRoute } from '@tanstack/react-router'
import { DeliveryPage, deliverySearch } from '../features/delivery/delivery-page.tsx'

export const Route = createFileRoute('/delivery')({ validateSearch: deliverySearch, component: DeliveryPage })
