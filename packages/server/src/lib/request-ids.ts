// Ids of requests: unique among all processes, and cheap enough for every request.
import { randomBytes } from 'node:crypto'

const ofThisProcess = randomBytes(6).toString('hex')
let last = 0

export const newRequestId = (): string => `req_${ofThisProcess}${(++last).toString(36).padStart(6, '0')}`

const form = /^req_[0-9a-z]{18,32}$/

/** Of another process of this platform. */
export const isRequestId = (text: string): boolean => form.test(text)
