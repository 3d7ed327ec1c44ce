// The redirects and JSON answers of the gate. No cache may store them. A browser that follows a redirect sends no Referer.
import type { Exchange } from '../exchange.ts'
import { jsonType, noStore, sendPlatformAnswer } from '../pages.ts'

const noReferrer = ['Referrer-Policy', 'no-referrer']
const always = [...noStore, ...noReferrer, 'X-Content-Type-Options', 'nosniff']

export function redirectIntoSite(exchange: Exchange, path: string, headers: string[] = []): void {
  exchange.answer(303, ['Location', path, 'Content-Length', '0', ...always, ...headers])
}

export function redirectToDashboard(exchange: Exchange, url: string): void {
  exchange.answer(302, ['Location', url, 'Content-Length', '0', ...always, 'X-Robots-Tag', 'noindex'])
}

/** Tells a program that it sent the right password. */
export function sendOk(exchange: Exchange, headers: string[]): void {
  sendPlatformAnswer(exchange, {
    status: 200,
    type: jsonType,
    body: '{"ok":true}\n',
    headers: [...noReferrer, ...headers],
  })
}
