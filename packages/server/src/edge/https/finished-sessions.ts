// Finds HTTP/2 sessions that can neither read nor send any more. After most errors of a client nghttp2 sends GOAWAY and stops, but
// node:http2 does not notice it. It keeps the connection and its streams until a timeout, even if the client has closed its side.
import type { Http2Session } from 'node:http2'

/** What node:http2 keeps of nghttp2's session. */
interface Handle {
  /** Whether nghttp2 wants to read or to write. */
  hasPendingData(): boolean
}

let handleKey: symbol | undefined

/** Whether nghttp2 has stopped. If a version of Node does not tell, the answer is no, and the session ends at its timeout. */
export function isFinished(session: Http2Session): boolean {
  handleKey ??= Object.getOwnPropertySymbols(session).find(({ description }) => description === 'kHandle')
  const handle = handleKey && (session as unknown as Record<symbol, Partial<Handle> | undefined>)[handleKey]
  return handle?.hasPendingData?.() === false
}
