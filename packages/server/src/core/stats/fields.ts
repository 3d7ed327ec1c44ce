// Reads what the stats need from the header fields of a request. Most fields are passed over by their length alone.

export interface Fields {
  userAgent: string
  referrer: string
  /** The browser fetched it in case it is wanted; nobody looks at it yet. */
  prefetch: boolean
  forwardedFor: string | undefined
  /** What the proxy says, where it is asked. */
  country: string | undefined
}

type Read = (fields: Fields, value: string) => void

/** Headers by which browsers say that nobody has asked for the page yet. */
const purpose: Read = (fields, value) => {
  fields.prefetch ||= /prefetch|prerender|preview/i.test(value)
}

const meanings: Record<string, Read> = {
  'user-agent': (fields, value) => {
    fields.userAgent ||= value
  },
  referer: (fields, value) => {
    fields.referrer ||= value
  },
  'x-forwarded-for': (fields, value) => {
    fields.forwardedFor = fields.forwardedFor === undefined ? value : `${fields.forwardedFor},${value}`
  },
  'sec-purpose': purpose,
  purpose,
  'x-purpose': purpose,
  'x-moz': purpose,
}

const lengths = new Set(Object.keys(meanings).map(name => name.length))

/**
 * Of the header fields of a page's request, one a line, those that the stats read. All of them if the peer is trusted: the proxy may
 * name the country in any field.
 */
export function neededFields(text: string, isTrustedPeer: boolean): string {
  if (isTrustedPeer) return text
  let needed = ''
  for (let at = 0; at < text.length; ) {
    const colon = text.indexOf(':', at)
    const end = text.indexOf('\n', at) + 1
    if (colon < 0 || end === 0) return needed
    if (lengths.has(colon - at) && Object.hasOwn(meanings, text.slice(at, colon).toLowerCase()))
      needed += text.slice(at, end)
    at = end
  }
  return needed
}

/** `countryHeader` is in lower case. */
export function fieldReader(countryHeader: string | undefined): (text: string) => Fields {
  const known = new Map(Object.entries(meanings))
  if (countryHeader !== undefined)
    known.set(countryHeader, (fields, value) => {
      fields.country ??= value
    })
  const lengths = new Set([...known.keys()].map(name => name.length))
  return text => {
    const fields: Fields = {
      userAgent: '',
      referrer: '',
      prefetch: false,
      forwardedFor: undefined,
      country: undefined,
    }
    for (let at = 0; ; ) {
      const colon = text.indexOf(':', at)
      if (colon < 0) return fields
      const lineEnd = text.indexOf('\r', colon)
      const end = lineEnd < 0 ? text.length : lineEnd
      if (lengths.has(colon - at))
        known.get(text.slice(at, colon).toLowerCase())?.(fields, text.slice(colon + 1, end).trim())
      at = end + 2
    }
  }
}
