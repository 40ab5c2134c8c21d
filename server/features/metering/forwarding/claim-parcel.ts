import type { HoldChange, PendingEntry } from '../account-queues.ts'
import { type BatchRow, outcomeAt } from '../batch.ts'
import { asText, type BatchConnection, batchColumns } from '../batch-connection.ts'
import type { CommitOutcome } from '../meter.ts'
import type { BatchPart } from '../void-moved.ts'
import { type Place, readPlaces } from './place.ts'

/** From now on nothing more of the parcel is committed. Returns what was, by batch. Repeatable. Throws as `BatchConnection.query` does. */
async function claim(connection: BatchConnection, parcel: string): Promise<Map<string, Place[]>> {
  const [row] = await connection.query<{ places: string[] }>({
    text: 'select meter_claim_parcel($1) as places',
    values: [parcel],
  })
  // A batch that was sent again is noted again.
  return new Map((row?.places ?? []).map(readPlaces).map(({ batch, places }) => [batch, places]))
}

/**
 * What became of the entries of a parcel whose answer is missing. Per entry: its outcome; null if its batch was taken back, so that
 * nothing of it is charged; undefined if it was not committed, and now never will be from this parcel.
 */
export async function claimParcel(
  connection: BatchConnection,
  parcel: string,
  entries: readonly PendingEntry[],
): Promise<(CommitOutcome | HoldChange | null | undefined)[]> {
  const outcomes = new Array<CommitOutcome | HoldChange | null | undefined>(entries.length).fill(undefined)
  for (const [batch, places] of await claim(connection, parcel)) {
    const accounts = places.map(({ index }) => entries[index]!.call.accountId)
    const [row] = await connection.query<BatchRow & { voided: string | null }>({
      text: `select ${batchColumns}, returned, voided from meter_keep($1, $2, $3)`,
      values: [batch, accounts, places.map(({ n }) => n)],
      types: asText,
    })
    for (const place of places)
      outcomes[place.index] = row?.voided === 'f' ? outcomeAt(batch, row, place, entries[place.index]!) : null
  }
  return outcomes
}

/** Makes sure that a parcel whose callers got 503 charges and holds nothing. Repeatable. Returns what was taken back, by batch. */
export async function takeParcelBack(connection: BatchConnection, parcel: string): Promise<[string, BatchPart][]> {
  const parts = [...(await claim(connection, parcel))].map(([batch, places]): [string, BatchPart] => [
    batch,
    {
      ns: places.map(({ n }) => n),
      holds: places.flatMap(({ holdId }) => holdId ?? []),
    },
  ])
  for (const [batch, { ns, holds }] of parts)
    await connection.query({ text: 'select meter_void_part($1, $2, $3)', values: [batch, ns, holds] })
  return parts
}
