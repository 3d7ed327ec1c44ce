// Request ids: unique across processes, and cheap to make.
import { randomBytes } from 'node:crypto'

const ofThisProcess = randomBytes(6).toString('hex')
let last = 0

export const newRequestId = (): string => `req_${ofThisProcess}${(++last).toString(36).padStart(6, '0')}`

const form = /^req_[0-9a-z]{18,32}$/

/** Checks an id that another process of this platform sent. */
export const isRequestId = (text: string): boolean => form.test(text)
