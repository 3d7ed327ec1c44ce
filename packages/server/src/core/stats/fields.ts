// Reads the header fields of a request that the stats need. Most other fields are skipped by the length of their names.

export interface Fields {
  userAgent: string
  referrer: string
  /** The browser loaded the page in advance, and nobody has seen it yet. */
  prefetch: boolean
  forwardedFor: string | undefined
  /** The country that a trusted proxy names, if a header for that is configured. */
  country: string | undefined
}

type Read = (fields: Fields, value: string) => void

/** Headers by which browsers mark a page that they load in advance. */
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
 * Returns the header fields that the stats read. `text` has one field per line. Returns all fields of a trusted peer, because
 * any of them may name the country.
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
