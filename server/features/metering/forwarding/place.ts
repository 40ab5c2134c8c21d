/** Where an entry of a parcel is in the batch that committed it. */
export interface Place {
  /** In the parcel, from 0. */
  index: number
  /** In the batch, from 1. */
  n: number
  /** Of its account among those of the batch, from 0. */
  at: number
  /** The hold that the entry made. */
  holdId?: string | undefined
}

export const writePlace = ({ index, n, at, holdId }: Place): string =>
  holdId === undefined ? `${index}:${n}:${at}` : `${index}:${n}:${at}:${holdId}`

/** Reads an element of `meter_parcels.places`. */
export function readPlaces(text: string): { batch: string; places: Place[] } {
  const [batch = '', list = ''] = text.split(' ')
  const places = list.split(';').map((place) => {
    const [index, n, at, holdId] = place.split(':')
    return { index: Number(index), n: Number(n), at: Number(at), holdId }
  })
  return { batch, places }
}
