// Forms of a site: what is posted to `/_svc/forms/<name>` is stored, and the visitor thanked.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { limits } from '@svc/contract'
import { checkFormName, type FormIntake } from '../../core/forms/intake.ts'
import { Fault } from '../../lib/fault.ts'
import { readSmallBody } from '../../lib/small-body.ts'
import { sendPage } from '../pages.ts'
import { refuse, thank } from './answers.ts'
import { readFields, requireReadable } from './fields.ts'

export interface FormsParts {
  intake: FormIntake
  clientAddress(req: IncomingMessage): string
  /** Two letters, where they are known. */
  countryOf(req: IncomingMessage): Promise<string | undefined>
  onError: (error: unknown) => void
}

export interface Forms {
  /** True where the request is a form's, and is being answered. */
  take(req: IncomingMessage, res: ServerResponse, projectId: string): boolean
}

/** For nodes and tests without a database to store them in. */
export const noForms: Forms = { take: () => false }

const path = /^\/_svc\/forms\/([^/?]*)\/?(?:\?.*)?$/
const bounds = {
  bytes: limits.formBodyBytes,
  patienceMs: 60_000,
  tooLarge: 'A form may have at most 256 KB.',
}
const longestReferrer = 2_000

export function createForms({ intake, clientAddress, countryOf, onError }: FormsParts): Forms {
  async function receive(
    req: IncomingMessage,
    res: ServerResponse,
    to: { projectId: string; form: string },
  ): Promise<void> {
    checkFormName(to.form)
    const { limit, remaining } = await intake.admit(to.projectId, clientAddress(req))
    res.setHeader('X-RateLimit-Limit', limit)
    res.setHeader('X-RateLimit-Remaining', remaining)
    const type = req.headers['content-type']
    requireReadable(type)
    const { fields, redirect, isTrapped } = readFields(await readSmallBody(req, res, bounds), type)
    // A program that fills in every field must not learn that it was found out.
    if (!isTrapped) {
      const country = (await countryOf(req)) ?? null
      await intake.accept({ ...to, fields, country, referrer: referrerOf(req) })
    }
    thank(req, res, redirect)
  }

  return {
    take(req, res, projectId) {
      const form = req.method === 'POST' ? path.exec(req.url!)?.[1] : undefined
      if (form === undefined) return false
      receive(req, res, { projectId, form }).catch(error => {
        if (error instanceof Fault) return refuse(req, res, error)
        onError(error)
        if (!res.headersSent) sendPage(req, res, 'unavailable')
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
