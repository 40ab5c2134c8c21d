import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { join } from 'node:path'

export const CHAIN_ID = 31337
/** The first account of the chain's own mnemonic, which everybody knows. */
const RICH_KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'

type Hex = `0x${string}`
/** The parts of viem's client that are used. */
interface Wallet {
  address: Hex
  deployContract: (call: object) => Promise<Hex>
  writeContract: (call: object) => Promise<Hex>
  waitForTransactionReceipt: (call: { hash: Hex }) => Promise<{ status: string; contractAddress: Hex }>
  readContract: (call: object) => Promise<unknown>
  sendTransaction: (transaction: object) => Promise<Hex>
  request: (call: { method: string; params?: unknown[] }) => Promise<unknown>
}

/** A chain of this machine alone, with a stablecoin on it. */
export interface SandboxChain {
  rpcUrl: string
  token: Hex
  /** Signs and sends transactions, and has coins to pay for them. */
  wallet: Wallet
  /** Gives an address so much of the stablecoin, in its atomic units. */
  mint: (to: string, value: bigint) => Promise<void>
  balanceOf: (owner: string) => Promise<bigint>
  /** Calls a function of the stablecoin as anybody may, and waits until it is done. */
  send: (functionName: string, args: unknown[]) => Promise<Hex>
  /** Two signed transfers in one transaction. Of each: from, to, value, validAfter, validBefore, nonce, signature. */
  sendTogether: (transfers: [unknown[], unknown[]]) => Promise<void>
  /** Lets so many seconds pass on the chain. They do not pass elsewhere. */
  passTime: (seconds: number) => Promise<void>
  stop: () => Promise<void>
}

/** Starts `anvil` of the packages in `folder`, and puts the token there. */
export async function startChain(folder: string): Promise<SandboxChain> {
  const load = createRequire(join(folder, 'package.json'))
  const port = await freePort()
  const rpcUrl = `http://127.0.0.1:${port}`
  const anvil = spawn(program(load), ['--port', String(port), '--chain-id', String(CHAIN_ID)], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  await listening(anvil)
  const viem = load('viem')
  const { privateKeyToAccount } = load('viem/accounts')
  const { createNonceManager, jsonRpc } = load('viem/nonce')
  // Of its own: that of the package remembers the numbers of every chain with this id in the process.
  const account = privateKeyToAccount(RICH_KEY, { nonceManager: createNonceManager({ source: jsonRpc() }) })
  const chain = viem.defineChain({
    id: CHAIN_ID,
    name: 'sandbox',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl] } },
  })
  const client = viem.createWalletClient({ account, chain, transport: viem.http(rpcUrl), pollingInterval: 20 })
  const wallet: Wallet = Object.assign(client.extend(viem.publicActions), { address: account.address })
  const { abi, bytecode } = JSON.parse(readFileSync(join(import.meta.dirname, 'token.json'), 'utf8'))
  const made = await wallet.waitForTransactionReceipt({
    hash: await wallet.deployContract({ abi, bytecode, args: [] }),
  })
  const token = made.contractAddress
  const send = async (functionName: string, args: unknown[]): Promise<Hex> => {
    const hash = await wallet.writeContract({ address: token, abi, functionName, args })
    await wallet.waitForTransactionReceipt({ hash })
    return hash
  }
  return {
    rpcUrl,
    token,
    wallet,
    mint: async (to, value) => void (await send('mint', [to, value])),
    balanceOf: async (owner) =>
      (await wallet.readContract({ address: token, abi, functionName: 'balanceOf', args: [owner] })) as bigint,
    send,
    async sendTogether(transfers) {
      // Its variant whose arguments all have the same length.
      const withParts = abi.filter(
        (one: { name?: string; inputs?: unknown[] }) => one.name === TRANSFER && one.inputs!.length === 9,
      )
      const data = transfers.map((args) => {
        const { r, s, v } = viem.parseSignature(args.at(-1) as Hex)
        const all = [...args.slice(0, -1), Number(v), r, s]
        return viem.encodeFunctionData({ abi: withParts, args: all }).slice(2)
      })
      await wallet.request({ method: 'anvil_setCode', params: [TWO_CALLS, twoCalls(token)] })
      const hash = await wallet.sendTransaction({ to: TWO_CALLS, gas: 1_000_000n, data: `0x${data.join('')}` })
      await wallet.waitForTransactionReceipt({ hash })
    },
    async passTime(seconds) {
      await wallet.request({ method: 'evm_increaseTime', params: [seconds] })
      await wallet.request({ method: 'evm_mine' })
    },
    async stop() {
      anvil.kill('SIGKILL')
      if (anvil.exitCode === null && anvil.signalCode === null) await once(anvil, 'exit')
    },
  }
}

const TRANSFER = 'transferWithAuthorization'
const TWO_CALLS = '0x00000000000000000000000000000000000ca115'

/** A contract that calls the token with each half of what it is called with, 292 bytes. */
function twoCalls(token: Hex): Hex {
  const copyFrom = (offset: string) => `61012461${offset}600037`
  const call = `6000600061012460006000${`73${token.slice(2)}`}5af150`
  return `0x${copyFrom('0000')}${call}${copyFrom('0124')}${call}00`
}

/** The program itself: what npm puts beside it only starts it. */
function program(load: NodeJS.Require): string {
  const platform = process.platform === 'win32' ? 'win32' : process.platform
  const machine = process.arch === 'x64' ? 'amd64' : process.arch
  const own = createRequire(load.resolve('@foundry-rs/anvil/package.json'))
  const about = own.resolve(`@foundry-rs/anvil-${platform}-${machine}/package.json`)
  return join(about, '..', 'bin', process.platform === 'win32' ? 'anvil.exe' : 'anvil')
}

function listening(anvil: ChildProcess): Promise<void> {
  return new Promise((done, failed) => {
    anvil.once('error', failed)
    anvil.once('exit', () => failed(new Error('anvil has ended')))
    let printed = ''
    anvil.stdout!.on('data', (chunk: Buffer) => {
      printed = (printed + chunk).slice(-1_000)
      if (printed.includes('Listening on')) done()
    })
  })
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
