import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { DataLease, NotInMemory, withData } from '../../tools/rows/not-in-memory.ts'
import { type BarColumns, heldSeries } from '../bars/bar-series.ts'
import { symbolBytes } from '../bars/bar-set.ts'
import { decodeBars, encodeBars } from './block-codec.ts'
import { barsAt, type StoredBars, storeBars } from './testing/stored-bars.ts'

const stores: StoredBars[] = []
const store = async (...given: Parameters<typeof storeBars>) => {
  const made = await storeBars(...given)
  stores.push(made)
  return made
}
afterEach(() => Promise.all(stores.splice(0).map(({ remove }) => remove())))

/** Reads, and needs the bars no longer afterwards. */
async function read<T>(work: () => T): Promise<Awaited<T>> {
  const lease = new DataLease()
  const result = await withData(work, lease)
  lease.release()
  return result
}
/** The bytes of all columns. */
const plain = ({ times, open, high, low, close, volume }: BarColumns) =>
  Buffer.concat(
    [times, open, high, low, close, volume].map((one) => Buffer.from(one.buffer, one.byteOffset, one.byteLength)),
  )

/** 25 years of weekdays from 2000-01-03. */
const days = Array.from({ length: 9_100 }, (_, i) => 10_959 + i).filter((day) => (day + 3) % 7 < 5)

describe('what was written', () => {
  test('comes back bit for bit, whatever the numbers', async () => {
    const number = fc.oneof(
      fc.integer({ min: 1, max: 1e6 }).map((cents) => cents / 100),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.constantFrom(0, -0, 5e-324, 2 ** 53, 0.1 + 0.2, 1e300),
    )
    const rows = fc.array(fc.tuple(fc.integer({ min: -1e6, max: 1e6 }), number, number, number, number, number), {
      minLength: 1,
      maxLength: 60,
    })
    await fc.assert(
      fc.asyncProperty(rows, async (given) => {
        const at = (index: number) => Float64Array.from(given, (row) => row[index]!)
        const bars: BarColumns = {
          times: Int32Array.from(given, ([time]) => time),
          open: at(1),
          high: at(2),
          low: at(3),
          close: at(4),
          volume: at(5),
        }
        const back = await decodeBars(encodeBars(bars), given.length)
        for (const name of ['times', 'open', 'high', 'low', 'close', 'volume'] as const)
          for (const [index, value] of bars[name].entries())
            if (!Object.is(back[name][index], value)) throw new Error(`${name} ${value}: ${back[name][index]}`)
      }),
    )
  })

  test('a damaged byte is an error', async () => {
    const bytes = Buffer.from(encodeBars(barsAt(days.slice(0, 250))))
    bytes[bytes.length >> 1]! ^= 0xff
    await expect(decodeBars(bytes, 250)).rejects.toThrow()
  })
})

test('any sequence of reads answers as if all bars were in memory, with room for only a tenth', async () => {
  const bars = barsAt(days)
  const held = heldSeries(bars, { actions: [], adjustments: {} })
  const { series } = await store(bars, '1d', symbolBytes(days.length) / 10)
  const first = fc.integer({ min: 0, max: days.length })
  const act = fc.oneof(
    fc.record({ kind: fc.constant('columns' as const), at: first, to: fc.integer({ min: 0, max: 3_000 }) }),
    fc.record({ kind: fc.constant('timeAt' as const), at: fc.integer({ min: 0, max: days.length - 1 }) }),
    fc.record({ kind: fc.constant('indexOf' as const), at: fc.integer({ min: 10_900, max: 20_100 }) }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(act, { maxLength: 25 }), async (acts) => {
      for (const one of acts) {
        if (one.kind === 'columns') {
          const end = Math.min(days.length, one.at + one.to)
          const ours = await read(() => series.columns(one.at, end))
          expect(plain(ours).equals(plain(held.columns(one.at, end)))).toBe(true)
        } else {
          const { kind, at } = one
          expect(await read(() => series[kind](at))).toBe(held[kind](at))
        }
      }
    }),
    { numRuns: 30 },
  )
})

describe('what is read', () => {
  test('a year across two calendar years is one read of two blocks', async () => {
    const { series, reads } = await store(barsAt(days), '1d')
    const start = series.indexOf(10_957 + 366)
    const bars = await read(() => series.columns(start + 100, start + 352))
    expect([bars.times.length, reads.length]).toEqual([252, 1])
  })

  test('what is in memory is not read again, and needs no copy once it was read together', async () => {
    const { series, reads } = await store(barsAt(days), '1d')
    await read(() => series.columns(100, 400))
    const again = series.columns(100, 400)
    expect(reads.length).toBe(1)
    expect(series.columns(100, 400).close.buffer).toBe(again.close.buffer)
  })

  test('thirty calls for the same cold bars cause one read', async () => {
    const { series, reads } = await store(barsAt(days), '1d')
    await Promise.all(Array.from({ length: 30 }, () => read(() => series.columns(10, 20))))
    expect(reads.length).toBe(1)
  })

  test('dates outside the data, and the edges of blocks, need no read', async () => {
    const { series, reads } = await store(barsAt(days), '1d')
    expect([series.indexOf(0), series.indexOf(99_999), series.timeAt(0), series.timeAt(days.length - 1)]).toEqual([
      0,
      days.length,
      days[0],
      days.at(-1),
    ])
    expect(reads).toEqual([])
  })

  test('a failed read is an error for its callers, and the next call reads again', async () => {
    let fails = false
    const { series } = await store(barsAt(days), '1d', 2 ** 24, (file) => ({
      size: file.size,
      read: (offset, length) => (fails ? Promise.reject(new Error('EIO')) : file.read(offset, length)),
    }))
    fails = true
    await expect(read(() => series.columns(0, 5))).rejects.toMatchObject({
      code: 'data_unavailable',
      cause: { message: 'EIO' },
    })
    fails = false
    expect((await read(() => series.columns(0, 5))).times.length).toBe(5)
  })
})

describe('memory', () => {
  test('stays within its budget, and small bars that are read often outlast large ones that are read once', async () => {
    const minutes = barsAt(Array.from({ length: 500_000 }, (_, i) => 25_000_000 + i))
    const budget = symbolBytes(120_000)
    const { series, memory } = await store(minutes, '1m', budget)
    await read(() => series.columns(0, 5))
    for (let at = 50_000; at < 500_000; at += 20_000) {
      await read(() => series.columns(at, at + 5))
      expect(() => series.columns(0, 5), String(at)).not.toThrow()
      expect(memory.bytes).toBeLessThanOrEqual(budget)
    }
    expect(() => series.columns(50_000, 50_005)).toThrow()
  })

  test('bars that a call needs stay until it ends, even beyond the budget', async () => {
    const { series, memory } = await store(barsAt(days), '1d', symbolBytes(300))
    const lease = new DataLease()
    await withData(() => series.columns(0, 2_000), lease)
    expect(series.columns(0, 2_000).times.length).toBe(2_000)
    expect(memory.bytes).toBeGreaterThan(symbolBytes(2_000))
    lease.release()
    await read(() => series.columns(6_000, 6_001))
    expect(memory.bytes).toBeLessThanOrEqual(symbolBytes(300))
  })

  test('several missing series are loaded together', async () => {
    const [a, b] = [await store(barsAt(days), '1d'), await store(barsAt(days), '1d')]
    let runs = 0
    await read(() => {
      runs += 1
      return NotInMemory.forEach([a, b], ({ series }) => series.columns(0, 10))
    })
    expect([runs, a.reads.length, b.reads.length]).toEqual([2, 1, 1])
  })
})
