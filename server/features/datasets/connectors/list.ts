import { bls } from '../../../../datasets/connectors/bls/connector.ts'
import { ecb } from '../../../../datasets/connectors/ecb/connector.ts'
import { sec } from '../../../../datasets/connectors/sec/connector.ts'
import { treasury } from '../../../../datasets/connectors/treasury/connector.ts'
import { worldbank } from '../../../../datasets/connectors/worldbank/connector.ts'
import type { Connector } from './connector.ts'

/** Every connector, by name. */
export const connectors: ReadonlyMap<string, Connector> = new Map(
  [bls, ecb, sec, treasury, worldbank].map((connector) => [connector.manifest.name, connector]),
)
