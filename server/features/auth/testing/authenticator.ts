import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

interface Ask {
  challenge: string
  origin: string
  rpId: string
}

/** A security key in software: ES256, no attestation. What it answers is as a browser would send it. */
export function createAuthenticator() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x, y } = publicKey.export({ format: 'jwk' })
  const id = randomBytes(16)
  const point = (text: string | undefined) => Buffer.concat([Buffer.from([0x58, 32]), Buffer.from(text!, 'base64url')])
  const coseKey = Buffer.concat([
    Buffer.from('a5010203262001', 'hex'),
    Buffer.from([0x21]),
    point(x),
    Buffer.from([0x22]),
    point(y),
  ])
  let counter = 0

  const authenticatorData = (rpId: string, flags: number): Buffer => {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter++)
    return Buffer.concat([createHash('sha256').update(rpId).digest(), Buffer.from([flags]), count])
  }
  const clientData = (type: string, { challenge, origin }: Ask) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))
  const answer = (response: Record<string, Buffer>) => ({
    id: id.toString('base64url'),
    rawId: id.toString('base64url'),
    type: 'public-key',
    clientExtensionResults: {},
    response: Object.fromEntries(Object.entries(response).map(([name, bytes]) => [name, bytes.toString('base64url')])),
  })

  return {
    create(ask: Ask) {
      const length = Buffer.from([0, id.length])
      const data = Buffer.concat([authenticatorData(ask.rpId, 0x41), Buffer.alloc(16), length, id, coseKey])
      const attestationObject = Buffer.concat([
        Buffer.from('a363666d74646e6f6e656761747453746d74a068', 'hex'),
        Buffer.from('authData'),
        Buffer.from([0x58, data.length]),
        data,
      ])
      return answer({ attestationObject, clientDataJSON: clientData('webauthn.create', ask) })
    },
    /** `as`: another authenticator's id, for a forgery. */
    get(ask: Ask, as?: string) {
      const data = authenticatorData(ask.rpId, 0x01)
      const clientDataJSON = clientData('webauthn.get', ask)
      const signed = Buffer.concat([data, createHash('sha256').update(clientDataJSON).digest()])
      const signature = sign('sha256', signed, privateKey)
      const made = answer({ authenticatorData: data, clientDataJSON, signature })
      return as ? { ...made, id: as, rawId: as } : made
    },
    id: id.toString('base64url'),
  }
}
