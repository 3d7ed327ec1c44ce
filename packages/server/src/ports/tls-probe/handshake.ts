// The probe by a real TLS handshake, never with a private address unless that is allowed.
import { lookup } from 'node:dns/promises'
import { connect, type PeerCertificate, type TLSSocket } from 'node:tls'
import { isPrivate } from '../../lib/private-addresses.ts'
import type { ShownCertificate, TlsProbe } from './port.ts'

export interface HandshakeSettings {
  port: number
  allowPrivate: boolean
  /** Trusted besides the well-known authorities. */
  ca?: string[]
}

const timeLimitMs = 5_000

export const handshakeProbe = (settings: HandshakeSettings): TlsProbe => {
  return async domain => {
    try {
      const address = await publicAddress(domain, settings.allowPrivate)
      if (address === undefined) return { unreachable: `${domain} points at a private address` }
      return await shake(domain, address, settings)
    } catch (error) {
      return { unreachable: wordsFor(error, domain, settings.port) }
    }
  }
}

/** Connecting to the address that was checked, so that a second look-up cannot lead elsewhere. */
async function publicAddress(domain: string, allowPrivate: boolean): Promise<string | undefined> {
  const found = await withTimeLimit(lookup(domain, { all: true }))
  return found.find(({ address }) => allowPrivate || !isPrivate(address))?.address
}

function shake(domain: string, host: string, { port, ca }: HandshakeSettings): Promise<ShownCertificate> {
  return new Promise((resolve, reject) => {
    const trust = ca ? { ca } : {}
    const socket = connect({ host, port, servername: domain, rejectUnauthorized: false, ...trust })
    socket.setTimeout(timeLimitMs, () => socket.destroy(new Error('timed out')))
    const limit = setTimeout(() => socket.destroy(new Error('timed out')), timeLimitMs)
    socket.once('close', () => clearTimeout(limit))
    socket.once('error', reject)
    socket.once('secureConnect', () => {
      resolve(describe(socket))
      socket.destroy()
    })
  })
}

function describe(socket: TLSSocket): ShownCertificate {
  const certificate = socket.getPeerCertificate()
  const reason: unknown = socket.authorizationError
  return {
    issuer: nameOf(certificate.issuer),
    subject: nameOf(certificate.subject),
    validFrom: Date.parse(certificate.valid_from),
    validTo: Date.parse(certificate.valid_to),
    problem: socket.authorized ? undefined : problemWords(reason),
  }
}

function nameOf(name: PeerCertificate['issuer'] | undefined): string {
  const part = name?.CN ?? name?.O ?? ''
  return Array.isArray(part) ? part.join(', ') : part
}

const problems: Record<string, string> = {
  CERT_HAS_EXPIRED: 'the certificate has expired',
  CERT_NOT_YET_VALID: 'the certificate is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'the chain ends in an authority that is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the chain is incomplete or not trusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the chain ends in an authority that is not trusted',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another host',
}

function problemWords(reason: unknown): string {
  const code =
    reason instanceof Error ? ((reason as NodeJS.ErrnoException).code ?? reason.message) : String(reason)
  return problems[code] ?? code
}

function wordsFor(error: unknown, domain: string, port: number): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `${domain} is not in the DNS`
  if (code === 'ECONNREFUSED') return `nothing answers on port ${port} of ${domain}`
  return message
}

async function withTimeLimit<T>(work: Promise<T>): Promise<T> {
  let limit: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    limit = setTimeout(() => reject(new Error('timed out')), timeLimitMs)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(limit)
  }
}
