// Paths that a visitor is redirected to. They are always on the same site, and never a path of the platform.

const longest = 2_000
const placeholder = 'http://site.invalid'

/** The path and query to return to after signing in. `/` if `text` is not a path or leads to another site. */
export function returnPath(text: string | null | undefined): string {
  const url = text?.startsWith('/') ? urlOnSite(text) : undefined
  return url === undefined ? '/' : url.pathname + url.search
}

/** The page after a form was sent, from a path or a URL on the same host. `undefined` for everything else. */
export function nextPage(redirect: string | undefined, host: string): string | undefined {
  const url = urlOnSite(redirect?.trim() ?? '', host)
  return url && url.pathname + url.search + url.hash
}

function urlOnSite(text: string, host?: string): URL | undefined {
  if (text === '' || text.length > longest || !URL.canParse(text, placeholder)) return undefined
  // Browsers read `/\host` and `/<tab>/host` as another host, and so does the URL parser.
  const url = new URL(text, placeholder)
  const isHere = url.origin === placeholder || (url.hostname === host && /^https?:$/.test(url.protocol))
  // Resolving `/.//host` gives `//host`, which a browser would read as another host.
  if (!isHere || url.pathname.startsWith('//')) return undefined
  return /^\/_svc(?:\/|$)/i.test(url.pathname) ? undefined : url
}
