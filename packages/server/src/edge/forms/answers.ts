// The answers to a submitted form: a redirect or a page for browsers, JSON for programs.
import type { IncomingMessage } from 'node:http'
import { errors, rateLimits } from '@svc/contract'
import { discardBodyAndClose } from '../../lib/discard-body.ts'
import type { Fault } from '../../lib/fault.ts'
import { nextPage } from '../../lib/site-paths.ts'
import type { Exchange } from '../exchange.ts'
import { acceptsHtml, errorLine, jsonType, noStore, sendPlatformAnswer } from '../pages.ts'
import { isJson } from './fields.ts'
import { sendFormPage } from './pages.ts'

export function sendThanks(exchange: Exchange, redirect: string | undefined): void {
  const to = nextPage(redirect, exchange.hostname)
  if (wantsJson(exchange.req)) return void sendJson(exchange, 200, '{"ok":true}\n')
  if (to !== undefined) return void exchange.answer(303, ['Location', to, 'Content-Length', '0', ...noStore])
  const text = 'Your message was received.'
  sendFormPage(exchange, { status: 200, tone: 'thanks', title: 'Thank you', text, back: backOf(exchange) })
}

export function sendFormError(exchange: Exchange, fault: Fault): void {
  const { req, res } = exchange
  if (res.destroyed || res.headersSent) return
  const { code, message, retryAfter } = fault
  if (code === 'rate_limit_exceeded') {
    res.setHeader('X-RateLimit-Limit', rateLimits.form.limit)
    res.setHeader('X-RateLimit-Remaining', 0)
  }
  if (retryAfter !== undefined) res.setHeader('Retry-After', retryAfter)
  if (!req.complete) discardBodyAndClose(req, res)
  const { status } = errors[code]
  if (wantsJson(req)) sendJson(exchange, status, errorLine(code, message, exchange.requestId))
  else
    sendFormPage(exchange, {
      status,
      tone: 'problem',
      title: 'This was not sent',
      text: message,
      back: backOf(exchange),
    })
}

/** Whether the client does not accept HTML, or sends JSON and does not ask for `text/html`. */
const wantsJson = (req: IncomingMessage): boolean =>
  !acceptsHtml(req) || (isJson(req.headers['content-type']) && !/text\/html/i.test(req.headers.accept ?? ''))

/** The path of the page with the form, from the Referer header. `/` if the header names no page of this site. */
function backOf({ req, hostname }: Exchange): string {
  const { referer } = req.headers
  return (referer && nextPage(referer, hostname)) ?? '/'
}

const sendJson = (exchange: Exchange, status: number, body: string): void =>
  sendPlatformAnswer(exchange, { status, type: jsonType, body })
