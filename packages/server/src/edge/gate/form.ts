// Reads the form of the unlock page, and detects forms that a page of another host sent.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Fault } from '../../lib/fault.ts'
import { readSmallBody } from '../../lib/small-body.ts'

const bounds = { bytes: 4096, timeoutMs: 10_000, tooLarge: 'The form may have at most 4 KB.' }
const type = 'application/x-www-form-urlencoded'

export async function readForm(req: IncomingMessage, res: ServerResponse): Promise<URLSearchParams> {
  if (req.headers['content-type']?.split(';')[0]?.trim().toLowerCase() !== type)
    throw new Fault('unsupported_media_type', `The content type must be ${type}.`)
  return new URLSearchParams((await readSmallBody(req, res, bounds)).toString())
}

/** Whether a page of another host sent the form. Such a page could use up the password attempts of its visitors. */
export function isForeign({ headers }: IncomingMessage, host: string): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site !== 'same-origin' && site !== 'none'
  const { origin } = headers
  return origin !== undefined && URL.canParse(origin) && new URL(origin).hostname !== host
}
