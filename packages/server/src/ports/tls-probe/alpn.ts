// Asks an address for the certificate of a TLS-ALPN-01 challenge, as the certificate authority will.
import { connect } from 'node:tls'
import { isPrivate } from '../../lib/private-addresses.ts'
import type { AlpnProbe } from './port.ts'

const timeLimitMs = 5_000

export const alpnProbe =
  ({ port, allowPrivate }: { port: number; allowPrivate: boolean }): AlpnProbe =>
  async ({ host, address }) => {
    if (!allowPrivate && isPrivate(address)) return undefined
    return await new Promise(resolve => {
      const socket = connect({
        ...{ host: address, port, servername: host },
        ALPNProtocols: ['acme-tls/1'],
        // The certificate of a challenge is self-signed.
        rejectUnauthorized: false,
      })
      const limit = setTimeout(() => socket.destroy(), timeLimitMs)
      socket.once('secureConnect', () => {
        resolve(socket.alpnProtocol === 'acme-tls/1' ? socket.getPeerCertificate().raw : undefined)
        socket.destroy()
      })
      socket.on('error', () => socket.destroy())
      socket.once('close', () => {
        clearTimeout(limit)
        resolve(undefined)
      })
    })
  }
