import { alphavantage } from '../../../../datasets/connectors/alphavantage/connector.ts'
import { bls } from '../../../../datasets/connectors/bls/connector.ts'
import { ecb } from '../../../../datasets/connectors/ecb/connector.ts'
import { eodhd } from '../../../../datasets/connectors/eodhd/connector.ts'
import { massive } from '../../../../datasets/connectors/massive/connector.ts'
import { sec } from '../../../../datasets/connectors/sec/connector.ts'
import { tiingo } from '../../../../datasets/connectors/tiingo/connector.ts'
import { treasury } from '../../../../datasets/connectors/treasury/connector.ts'
import { twelvedata } from '../../../../datasets/connectors/twelvedata/connector.ts'
import { worldbank } from '../../../../datasets/connectors/worldbank/connector.ts'
import type { Connector } from './connector.ts'

/** Every connector, by name. */
export const connectors: ReadonlyMap<string, Connector> = new Map(
  [alphavantage, bls, ecb, eodhd, massive, sec, tiingo, treasury, twelvedata, worldbank].map((connector) => [
    connector.manifest.name,
    connector,
  ]),
)
