// Hands an app's answer on to the visitor as it comes, no faster than the visitor takes it.
import type { IncomingMessage, ServerResponse } from 'node:http'

export function deliver(answer: IncomingMessage, res: ServerResponse, headers: string[]): void {
  beginAnswer(res, answer, headers)
  answer.on('data', chunk => {
    if (res.write(chunk)) return
    answer.pause()
    res.once('drain', () => answer.resume())
  })
  answer.on('end', () => {
    if (answer.rawTrailers.length > 0) res.addTrailers(trailersOf(answer))
    res.end()
  })
  // The status was sent already: what broke off must not look whole.
  answer.on('error', () => res.destroy())
  res.once('close', () => {
    if (!answer.readableEnded) answer.destroy()
  })
}

export function beginAnswer(
  res: ServerResponse,
  { statusCode = 502, statusMessage }: Pick<IncomingMessage, 'statusCode' | 'statusMessage'>,
  headers: string[],
): void {
  if (statusMessage) res.writeHead(statusCode, statusMessage, headers)
  else res.writeHead(statusCode, headers)
}

function trailersOf({ rawTrailers }: IncomingMessage): [string, string][] {
  const pairs: [string, string][] = []
  for (let i = 0; i < rawTrailers.length; i += 2) pairs.push([rawTrailers[i]!, rawTrailers[i + 1]!])
  return pairs
}
