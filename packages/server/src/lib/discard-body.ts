// Ends a refused request whose body is still arriving.
import type { IncomingMessage, ServerResponse } from 'node:http'

/** How long the rest of the body is read before the connection is closed. */
const discardMs = 5_000

/** Discards the rest of the body for a moment. If the connection closed at once, the client might not see the answer. */
export function discardBodyAndClose(req: IncomingMessage, res: ServerResponse): void {
  res.setHeader('connection', 'close')
  req.resume()
  const cut = setTimeout(() => req.socket.destroy(), discardMs)
  cut.unref()
  req.once('close', () => clearTimeout(cut))
}
