// Where a visitor is sent back to: a path of the same site, whatever was asked for.

const longest = 2000
const site = 'http://site.invalid'

/** The path and query that the text means on its own site; the root where it leads elsewhere or into the platform's paths. */
export function returnPath(text: string | null | undefined): string {
  if (!text?.startsWith('/') || text.length > longest || !URL.canParse(text, site)) return '/'
  // Browsers read `/\host` and `/<tab>/host` as another host, and the URL parser does, too.
  const { origin, pathname, search } = new URL(text, site)
  // Resolving `/.//host` gives `//host`, which leads elsewhere the next time it is read.
  if (origin !== site || pathname.startsWith('//') || /^\/_svc(?:\/|$)/i.test(pathname)) return '/'
  return pathname + search
}
