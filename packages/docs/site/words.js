// How text is cut into words, the same way for the index and for a query. The index is made with this file at build time.

/** Words in lower case without a plural's s. `SVCD_DNS_TARGET` stays one word, `_redirects` loses its underscore. */
export function wordsOf(text) {
  const words = text.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}_]*/gu) ?? []
  return words.map(word =>
    word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word,
  )
}
