// TLS settings: Mozilla's "intermediate" configuration without DHE ciphers. All ciphers have forward secrecy.

import { createHmac } from 'node:crypto'
import type { SecureContextOptions } from 'node:tls'
import { dayMs } from '@svc/contract/durations'
import type { Secret } from '../../lib/secret.ts'

export const tlsOptions = {
  minVersion: 'TLSv1.2',
  ciphers: [
    'TLS_AES_128_GCM_SHA256',
    'TLS_AES_256_GCM_SHA384',
    'TLS_CHACHA20_POLY1305_SHA256',
    'ECDHE-ECDSA-AES128-GCM-SHA256',
    'ECDHE-RSA-AES128-GCM-SHA256',
    'ECDHE-ECDSA-AES256-GCM-SHA384',
    'ECDHE-RSA-AES256-GCM-SHA384',
    'ECDHE-ECDSA-CHACHA20-POLY1305',
    'ECDHE-RSA-CHACHA20-POLY1305',
  ].join(':'),
  ecdhCurve: 'X25519:prime256v1:secp384r1',
} satisfies SecureContextOptions

const ticketKeyBytes = 48

export const ticketDay = (now: number): number => Math.floor(now / dayMs)

/**
 * The keys that encrypt the session tickets of a day. They are the same on every node and after a restart, so a session of
 * one node resumes on the others.
 */
export function ticketKeys(secret: Secret, day: number): Buffer {
  const part = (number: number) =>
    createHmac('sha256', secret.reveal()).update(`tickets ${day} ${number}`).digest()
  return Buffer.concat([part(1), part(2)]).subarray(0, ticketKeyBytes)
}
