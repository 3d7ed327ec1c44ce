// Passes interim responses (1xx) of an app to clients whose protocol supports them.
import type { ServerResponse } from 'node:http'

export function sendInterimResponse(res: ServerResponse, status: number, link?: string | string[]): void {
  const { httpVersionMajor: major, httpVersionMinor: minor } = res.req
  if (res.headersSent || (major === 1 && minor === 0)) return
  // The answer to an earlier request on this connection is not complete, so this answer has no socket yet. node:http would
  // send the interim response too late, after the head of this answer. A 100 is sent when the socket is free.
  if (major === 1 && res.socket === null) {
    if (status === 100) res.once('socket', () => sendInterimResponse(res, status))
    return
  }
  // If the client reads slowly, do not buffer more hints for it. A 100 is always sent, because the client waits for it.
  if (status !== 100 && (res.socket?.writableLength ?? 0) > 0) return
  try {
    if (status === 100) res.writeContinue()
    else if (status === 102 && major === 1) res.writeProcessing()
    else if (status === 103 && link !== undefined) res.writeEarlyHints({ link })
  } catch {
    // Node may throw, for example if the Link is malformed or the client just went away. The client then gets no
    // interim response.
  }
}
