// What an app says before its answer (1xx), for those whose protocol knows of such.
import type { ServerResponse } from 'node:http'

export function sendInterimResponse(res: ServerResponse, status: number, link?: string | string[]): void {
  const { httpVersionMajor: major, httpVersionMinor: minor } = res.req
  if (res.headersSent || (major === 1 && minor === 0)) return
  // A client that does not read what it has been told already is told no more, but for the word it waits for.
  if (status !== 100 && (res.socket?.writableLength ?? 0) > 0) return
  try {
    if (status === 100) res.writeContinue()
    else if (status === 102 && major === 1) res.writeProcessing()
    else if (status === 103 && link !== undefined) res.writeEarlyHints({ link })
  } catch {
    // A Link that Node finds malformed, or a visitor who just left; a hint that is not given does no harm.
  }
}
