// Whether a connection may be reused after an answer, and for how long.

/** However long an app keeps its connections open. */
const longestReuseMs = 30_000

/**
 * Whether an app may send a body after an answer that has none by HTTP's rules. Such a body would be read as the answer to the
 * next request, so the connection is not reused. Some apps send the body of a GET as the answer to HEAD. `announcesBody`:
 * whether the head has a Content-Length other than 0, or a Transfer-Encoding.
 */
export const mayBodyFollow = (isHead: boolean, status: number, announcesBody: boolean): boolean =>
  isHead || (announcesBody && (status === 204 || status === 304))

/**
 * How long a connection may be reused after an answer with this Keep-Alive field, in milliseconds. This is a second less than the
 * app announces, so that the app does not close the connection while a request is being sent. 0 if it closes it within a second,
 * and `undefined` if the field names no time.
 */
export function reuseMsOf(keepAlive: string): number | undefined {
  const seconds = /^timeout=(\d+)/.exec(keepAlive)?.[1]
  return seconds === undefined
    ? undefined
    : Math.min(longestReuseMs, Math.max(0, Number(seconds) - 1) * 1_000)
}
