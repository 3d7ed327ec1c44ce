// How a refused request ends whose body is still on its way.
import type { IncomingMessage, ServerResponse } from 'node:http'

/** How long a client that was refused in the middle of its body may go on sending before it is cut off. */
const lingerMs = 5_000

/** The rest of the body is read and thrown away for a moment, so that the client gets to see the answer. */
export function discardBodyAndClose(req: IncomingMessage, res: ServerResponse): void {
  res.setHeader('connection', 'close')
  req.resume()
  const cut = setTimeout(() => req.socket.destroy(), lingerMs)
  cut.unref()
  req.once('close', () => clearTimeout(cut))
}
