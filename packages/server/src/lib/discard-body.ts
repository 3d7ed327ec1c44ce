// Ends a refused request whose body is still arriving.
import type { IncomingMessage, ServerResponse } from 'node:http'

/**
 * Arranges that the connection closes after the answer, so that the client need not send the rest of the body. The listener
 * reads on for a while before that (edge/unread-bodies.ts).
 */
export function discardBodyAndClose(req: IncomingMessage, res: ServerResponse): void {
  res.setHeader('connection', 'close')
  req.resume()
}
