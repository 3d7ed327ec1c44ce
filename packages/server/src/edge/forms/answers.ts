// How a form is answered: people are sent on or shown a page, programs get JSON.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { errors, rateLimits } from '@svc/contract'
import type { Fault } from '../../lib/fault.ts'
import { closeAfter } from '../../lib/linger.ts'
import { requestedName } from '../hosts.ts'
import { acceptsHtml, unstored } from '../pages.ts'
import { isJson } from './fields.ts'
import { nextPage } from './next-page.ts'
import { sendFormPage } from './pages.ts'

export function thank(req: IncomingMessage, res: ServerResponse, redirect: string | undefined): void {
  const to = nextPage(redirect, requestedName(req))
  if (wantsJson(req)) sendJson(res, 200, { ok: true })
  else if (to !== undefined) sendOn(res, to)
  else {
    const text = 'Your message was received.'
    sendFormPage(res, { status: 200, tone: 'thanks', title: 'Thank you', text, back: backOf(req) })
  }
}

function sendOn(res: ServerResponse, to: string): void {
  res.writeHead(303, ['Location', to, 'Content-Length', '0', ...unstored])
  res.end()
}

export function refuse(req: IncomingMessage, res: ServerResponse, fault: Fault): void {
  if (res.destroyed || res.headersSent) return
  const { code, message, retryAfter } = fault
  if (code === 'rate_limit_exceeded') {
    res.setHeader('X-RateLimit-Limit', rateLimits.form.limit)
    res.setHeader('X-RateLimit-Remaining', 0)
  }
  if (retryAfter !== undefined) res.setHeader('Retry-After', retryAfter)
  if (!req.complete) closeAfter(req, res)
  const { status } = errors[code]
  if (wantsJson(req)) sendJson(res, status, { error: { code, message } })
  else
    sendFormPage(res, {
      status,
      tone: 'problem',
      title: 'This was not sent',
      text: message,
      back: backOf(req),
    })
}

/** Programs say so by what they accept, or by sending JSON themselves without asking for HTML. */
const wantsJson = (req: IncomingMessage): boolean =>
  !acceptsHtml(req) || (isJson(req.headers['content-type']) && !/text\/html/i.test(req.headers.accept ?? ''))

/** The page with the form, where it is on this host. */
function backOf(req: IncomingMessage): string {
  const { referer } = req.headers
  return (referer && nextPage(referer, requestedName(req))) ?? '/'
}

function sendJson(res: ServerResponse, status: number, answer: unknown): void {
  const body = `${JSON.stringify(answer)}\n`
  const type = ['Content-Type', 'application/json; charset=utf-8']
  const length = ['Content-Length', String(Buffer.byteLength(body))]
  res.writeHead(status, [...type, ...length, ...unstored, 'X-Content-Type-Options', 'nosniff'])
  res.end(body)
}
