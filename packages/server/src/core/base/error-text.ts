// Error messages as they are stored and shown: one line, of limited length, without passwords and keys.

const longest = 500

/** Passwords in URLs, queries of URLs (they may be signed), and long words that may be keys or tokens. */
const secrets = [/\/\/[^\s/@]{1,200}@/g, /\?[^\s'"]{1,2000}/g, /[\w+=-]{32,}/g] as const

export function errorText(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  const line = message.slice(0, 4 * longest).replace(/\s+/g, ' ')
  const [inUrls, queries, words] = secrets
  return line.replace(inUrls, '//…@').replace(queries, '?…').replace(words, '…').trim().slice(0, longest)
}
