// Forms of a site: what is posted to `/_svc/forms/<name>` is stored, and the visitor thanked.
import type { IncomingMessage } from 'node:http'
import { limits } from '@svc/contract'
import { checkFormName, type FormIntake } from '../../core/forms/intake.ts'
import { Fault } from '../../lib/fault.ts'
import { readSmallBody } from '../../lib/small-body.ts'
import type { Exchange } from '../exchange.ts'
import { sendPage } from '../pages.ts'
import { sendFormError, sendThanks } from './answers.ts'
import { readFields, requireReadable } from './fields.ts'

export interface FormsParts {
  intake: FormIntake
  clientAddress(exchange: Exchange): string
  /** Two letters, where they are known. */
  countryOf(exchange: Exchange): Promise<string | undefined>
  onError: (error: unknown, exchange: Exchange) => void
}

export interface Forms {
  /** True if the request is a form's, and is being answered. */
  receive(exchange: Exchange, projectId: string): boolean
}

/** For nodes and tests without a database to store them in. */
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
    // A program that fills in every field must not learn that it was found out.
    if (!isTrapped) {
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

/** The page with the form, where the browser tells. */
function referrerOf({ headers: { referer } }: IncomingMessage): string | null {
  if (referer === undefined || referer.length > longestReferrer || !URL.canParse(referer)) return null
  const { protocol, href } = new URL(referer)
  return protocol === 'https:' || protocol === 'http:' ? href : null
}
