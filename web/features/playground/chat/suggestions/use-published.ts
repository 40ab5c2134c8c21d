import { useEffect, useState } from 'react'
import { ownServer } from '../../own-server.ts'
import { playgroundApi, quietCallId } from '../../playground-api.ts'
import { bundledDatasets, type PublishedSymbol } from './suggestions.ts'

/** The data of our own server, as far as suggestions need it. */
export interface Published {
  datasets: readonly string[]
  /** The first symbols of the operator's own datasets. */
  own: readonly PublishedSymbol[]
}

const nothing: Published = { datasets: [], own: [] }
const maxCards = 3
const scheme = 'dataset://'

interface Card {
  symbol?: unknown
  symbols?: unknown
  series?: unknown
}

/** The data that this user may read. Reading the list and the cards is not a tool call and costs nothing. */
export function usePublished(connected: boolean): Published {
  const [published, set] = useState(nothing)
  useEffect(() => {
    if (!connected) return
    let current = true
    void readPublished().then(
      (read) => current && set(read),
      // Without suggestions the chat still works.
      () => {},
    )
    return () => {
      current = false
    }
  }, [connected])
  return connected ? published : nothing
}

async function readPublished(): Promise<Published> {
  const resources = await playgroundApi.resources(ownServer)
  const datasets = resources.flatMap(({ uri }) => (uri.startsWith(scheme) ? [uri.slice(scheme.length)] : []))
  const unknown = datasets.filter((id) => !bundledDatasets.has(id)).slice(0, maxCards)
  const cards = await Promise.all(
    unknown.map((id) => playgroundApi.read(ownServer, `${scheme}${id}`, quietCallId()).catch(() => null)),
  )
  return { datasets, own: cards.flatMap((read) => (read ? symbolsOf(cardOf(read.contents)) : [])) }
}

function cardOf(contents: unknown[]): Card {
  const text = (contents[0] as { text?: unknown } | undefined)?.text
  try {
    return typeof text === 'string' ? ((JSON.parse(text) ?? {}) as Card) : {}
  } catch {
    return {}
  }
}

/** At most two symbols of one dataset. */
function symbolsOf({ symbol, symbols, series }: Card): PublishedSymbol[] {
  const prices = [symbol, ...(Array.isArray(symbols) ? symbols : [])].filter((one) => typeof one === 'string')
  const ids = (Array.isArray(series) ? series : []).map((one) => (one as { id?: unknown }).id)
  return [
    ...prices.map((one) => ({ symbol: one })),
    ...ids.filter((id) => typeof id === 'string').map((id) => ({ symbol: id, series: true as const })),
  ].slice(0, 2)
}
