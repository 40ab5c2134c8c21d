import { DataLease, withData } from '../../../tools/rows/not-in-memory.ts'
import type { BarColumns, BarSeries } from '../../bars/bar-series.ts'

/** All bars of a series, read if need be. */
export async function allBars(series: BarSeries): Promise<BarColumns> {
  const lease = new DataLease()
  const bars = await withData(() => series.columns(0, series.count), lease)
  lease.release()
  return bars
}
