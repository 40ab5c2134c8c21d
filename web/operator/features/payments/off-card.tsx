import { Card } from '../../../ui/card.tsx'
import { CodeBlock } from '../../../ui/code-block.tsx'
import { CopyButton } from '../../../ui/copy/copy-button.tsx'

const settings = `AGENT_PAYMENTS=x402
AGENT_CREDIT_MICRO_USD=1000
X402_ADDRESS=0x...
X402_NETWORK=eip155:8453
X402_FACILITATOR=https://...
X402_RPC_URL=https://...`

/** How agents' payments are turned on. */
export const OffCard = () => (
  <Card
    title="Agents cannot pay yet"
    about="Without an account, agents can pay for single calls and buy balances with x402. To turn it on:"
  >
    <ol className="max-w-[70ch] list-decimal space-y-3 pl-5">
      <li>
        Install the packages on the server: <code className="font-mono">npm ci --prefix packages/agent-payments</code>
      </li>
      <li className="space-y-2">
        <p>
          Set these, and restart. The address is your own wallet; the price of a credit is in millionths of a dollar.
          The server does not start with half of them.
        </p>
        <CodeBlock
          label="Settings"
          code={settings}
          action={<CopyButton value={settings} label="Copy the settings" done="Settings copied" />}
        />
      </li>
      <li>
        Look at the doctor under Health: it says whether agents can pay. What each setting means is in{' '}
        <code className="font-mono">docs/agent-payments.md</code>.
      </li>
    </ol>
  </Card>
)
