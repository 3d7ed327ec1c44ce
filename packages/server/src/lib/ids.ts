// Ids and secrets. The prefix of an id says what it identifies, and the rest is random, or begins with the time.
import { hash, randomBytes } from 'node:crypto'

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
  | 'lnk'
  | 'rsv'
  | 'dsk'
  | 'snp'

export const newId = (prefix: IdPrefix): string => `${prefix}_${randomText(16)}`

let lastMicrosecond = 0

/** An id that sorts after every id that this process made so before: for lists of rows that may have the same time. */
export function newSortedId(prefix: IdPrefix): string {
  lastMicrosecond = Math.max(Date.now() * 1000, lastMicrosecond + 1)
  return `${prefix}_${lastMicrosecond.toString(36).padStart(10, '0')}${randomText(6)}`
}

/** 256 random bits as 43 URL-safe characters. */
export const newSecret = (): string => randomBytes(32).toString('base64url')

export const sha256 = (text: string): string => hash('sha256', text)
