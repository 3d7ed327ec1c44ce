// Reads what the stats need from the header fields of a request.

export interface Fields {
  userAgent: string
  referrer: string
  /** The browser fetched it in case it is wanted; nobody looks at it yet. */
  prefetch: boolean
  forwardedFor: string | undefined
  /** What the proxy says, where it is asked. */
  country: string | undefined
}

/** Headers by which browsers say that nobody has asked for the page yet. */
const purposes = new Set(['sec-purpose', 'purpose', 'x-purpose', 'x-moz'])
const ahead = /prefetch|prerender|preview/i

export function readFields(text: string, countryHeader: string | undefined): Fields {
  const fields: Fields = {
    userAgent: '',
    referrer: '',
    prefetch: false,
    forwardedFor: undefined,
    country: undefined,
  }
  for (let at = 0; at < text.length; ) {
    const colon = text.indexOf(':', at)
    if (colon < 0) break
    const end = text.indexOf('\r', colon)
    const name = text.slice(at, colon).toLowerCase()
    const value = () => text.slice(colon + 1, end < 0 ? text.length : end).trim()
    if (name === 'user-agent') fields.userAgent ||= value()
    else if (name === 'referer') fields.referrer ||= value()
    else if (name === 'x-forwarded-for')
      fields.forwardedFor = fields.forwardedFor === undefined ? value() : `${fields.forwardedFor},${value()}`
    else if (purposes.has(name)) fields.prefetch ||= ahead.test(value())
    else if (name === countryHeader) fields.country ??= value()
    if (end < 0) break
    at = end + 2
  }
  return fields
}
