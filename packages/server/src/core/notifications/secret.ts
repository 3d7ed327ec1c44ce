// The secret that signs the requests to a webhook, and the signature.
import { createHmac } from 'node:crypto'
import type { Secret } from '../../lib/secret.ts'

/** The place that the encrypted secret is bound to. It cannot be decrypted for another target. */
export const placeOfSecret = (targetId: string): string[] => ['notification-secret', targetId]

/** The timestamp is part of what is signed, so that a receiver can refuse a request that was recorded long ago. */
export const signBody = (timestamp: string, body: string, secret: Secret): string =>
  `v1=${createHmac('sha256', secret.reveal()).update(`${timestamp}.${body}`).digest('hex')}`
