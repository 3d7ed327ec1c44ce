// Ids and secrets. The prefix of an id says what it identifies, and the rest is random.
import { createHash, randomBytes } from 'node:crypto'

const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789'

/** Random lower-case letters and digits, without modulo bias. */
export function randomText(length: number, from = alphabet): string {
  const limit = 256 - (256 % from.length)
  let text = ''
  while (text.length < length)
    for (const byte of randomBytes(length * 2))
      if (byte < limit && text.length < length) text += from[byte % from.length]
  return text
}

type IdPrefix =
  | 'acc'
  | 'tok'
  | 'prj'
  | 'dep'
  | 'org'
  | 'inv'
  | 'job'
  | 'aud'
  | 'sub'
  | 'cron'
  | 'run'
  | 'ins'
  | 'bld'
  | 'rep'
  | 'pay'
  | 'bml'
  | 'ivc'
  | 'hook'
  | 'ntf'
  | 'dlv'
  | 'psk'

export const newId = (prefix: IdPrefix): string => `${prefix}_${randomText(16)}`

/** 256 random bits as 43 URL-safe characters. */
export const newSecret = (): string => randomBytes(32).toString('base64url')

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
