// Rewrites URLs that name the app's own host and port to the site's origin, as nginx's `proxy_redirect default` does.
// Frameworks build redirects from the address that they listen on, and a visitor cannot reach that address.
import type { IncomingMessage } from 'node:http'
import type { AppAddress } from '../../core/base/apps.ts'
import type { UrlField } from '../lanes/lanes.ts'
import type { Forwarded } from './forwarded.ts'

/** Header fields that hold a URL. The pattern matches the text before the URL. */
const urlStart: Record<UrlField, RegExp> = {
  location: /^/,
  'content-location': /^/,
  // For example `5; url='/next'`. Browsers also accept a comma instead of the semicolon, and a URL without `url=` or
  // quotes.
  refresh: /^[\s\d.]*[;,]?\s*(?:url\s*=\s*)?["']?/i,
}

/** Matches the scheme and authority of a URL. The scheme may be missing. A URL with a user name does not match. */
const authority = /^(?:(https?):)?\/\/(\[[\da-f:.]+\]|[\w.-]+)(?::(\d{1,5}))?(?![^/?#"'])/i

/** Host names that an app may use for the address it listens on. */
const ownHosts = new Set(['localhost', '127.0.0.1', '0.0.0.0', '[::1]', '[::]'])

const defaultPorts: Record<string, number> = { http: 80, https: 443 }

/**
 * Rewrites the app's own URLs in the headers of the answer. The answer is changed in place, so that the cache and all
 * protocols see the same URLs.
 */
export function rewriteOwnUrls(answer: IncomingMessage, app: AppAddress, forwarded: Forwarded): void {
  const { rawHeaders } = answer
  // By hand, because it writes to the list.
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!.toLowerCase()
    if (!Object.hasOwn(urlStart, name)) continue
    const value = rawHeaders[i + 1]!
    const rewritten = rewriteOwnUrl(name as UrlField, value, app, forwarded)
    if (rewritten === value) continue
    rawHeaders[i + 1] = rewritten
    answer.headers[name] = rewritten
  }
}

/** Returns the value of the field with the site's origin in place of the app's own. */
export function rewriteOwnUrl(name: UrlField, value: string, app: AppAddress, forwarded: Forwarded): string {
  const before = urlStart[name].exec(value)?.[0] ?? ''
  const url = value.slice(before.length)
  const found = authority.exec(url)
  if (found === null || !isOwn(found, app)) return value
  return before + originOf(forwarded) + url.slice(found[0].length)
}

function isOwn([, scheme = 'http', host = '', port]: RegExpExecArray, app: AppAddress): boolean {
  const named = Number(port ?? defaultPorts[scheme.toLowerCase()])
  const name = host.toLowerCase()
  if (ownHosts.has(name) && named === (app.appPort ?? app.port)) return true
  return named === app.port && (name === app.host || name === `[${app.host}]`)
}

/** Returns the origin that the visitor used. The default port, which some clients add to the host, is left out. */
function originOf({ proto, host }: Forwarded): string {
  const port = `:${defaultPorts[proto]}`
  return `${proto}://${host.endsWith(port) ? host.slice(0, -port.length) : host}`
}
