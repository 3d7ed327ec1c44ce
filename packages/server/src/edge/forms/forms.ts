// Forms of a site: stores what is posted to `/_svc/forms/<name>` and thanks the visitor.
import type { IncomingMessage } from 'node:http'
import { limits } from '@svc/contract'
import { checkFormName, type FormIntake } from '../../core/forms/intake.ts'
import { Fault } from '../../lib/fault.ts'
import { readSmallBody } from '../../lib/small-body.ts'
import type { Exchange } from '../exchange.ts'
import { sendPage } from '../pages.ts'
import { sendFormError, sendThanks } from './answers.ts'
import { readFields, requireReadable } from './fields.ts'

interface FormsParts {
  intake: FormIntake
  clientAddress(exchange: Exchange): string
  /** The two-letter country code, if known. */
  countryOf(exchange: Exchange): Promise<string | undefined>
  onError: (error: unknown, exchange: Exchange) => void
}

export interface Forms {
  /** Answers a POST to a form and returns true. Returns false for all other requests. */
  receive(exchange: Exchange, projectId: string): boolean
}

/** For an edge without forms. */
export const noForms: Forms = { receive: () => false }

const path = /^\/_svc\/forms\/([^/?]*)\/?(?:\?.*)?$/
const bounds = {
  bytes: limits.formBodyBytes,
  timeoutMs: 60_000,
  tooLarge: 'A form may have at most 256 KB.',
}
const longestReferrer = 2_000

export function createForms({ intake, clientAddress, countryOf, onError }: FormsParts): Forms {
  async function store(exchange: Exchange, to: { projectId: string; form: string }): Promise<void> {
    const { req, res } = exchange
    checkFormName(to.form)
    const { limit, remaining } = await intake.admit(to.projectId, clientAddress(exchange))
    res.setHeader('X-RateLimit-Limit', limit)
    res.setHeader('X-RateLimit-Remaining', remaining)
    const type = req.headers['content-type']
    requireReadable(type)
    const { fields, redirect, isTrapped } = readFields(await readSmallBody(req, res, bounds), type)
    // A spam bot gets the same answer as a visitor, so that it does not learn that its submission was dropped.
    if (isTrapped) await intake.drop(to)
    else {
      const country = (await countryOf(exchange)) ?? null
      await intake.accept({ ...to, fields, country, referrer: referrerOf(req) })
    }
    sendThanks(exchange, redirect)
  }

  return {
    receive(exchange, projectId) {
      const form = exchange.method === 'POST' ? path.exec(exchange.url)?.[1] : undefined
      if (form === undefined) return false
      store(exchange, { projectId, form }).catch(error => {
        if (error instanceof Fault) return sendFormError(exchange, error)
        onError(error, exchange)
        if (!exchange.res.headersSent) sendPage(exchange, 'unavailable')
      })
      return true
    },
  }
}

/** The URL of the page with the form, from the Referer header. `null` if the header is missing, too long or invalid. */
function referrerOf({ headers: { referer } }: IncomingMessage): string | null {
  if (referer === undefined || referer.length > longestReferrer || !URL.canParse(referer)) return null
  const { protocol, href } = new URL(referer)
  return protocol === 'https:' || protocol === 'http:' ? href : null
}
