// A strict stand-in for VIES, the EU's registry of VAT numbers, on the loopback address.
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export interface Vies {
  url: string
  /** The registered numbers, with their prefix. */
  registered: Set<string>
  /** Answers all further requests instead, if it is set. */
  behaviour: ((res: ServerResponse) => void) | undefined
  /** The bodies of all requests so far. */
  asked: Record<string, string>[]
  stop(): Promise<void>
}

const fields = ['countryCode', 'vatNumber', 'requesterMemberStateCode', 'requesterNumber']

export async function startVies(...registered: string[]): Promise<Vies> {
  const server = createServer(async (req, res) => {
    const body = await text(req)
    if (vies.behaviour) return vies.behaviour(res)
    const isWellFormed =
      req.method === 'POST' &&
      req.url === '/rest-api/check-vat-number' &&
      req.headers['content-type'] === 'application/json'
    if (!isWellFormed) return void res.writeHead(404).end()
    const asked = JSON.parse(body) as Record<string, string>
    if (Object.keys(asked).some(field => !fields.includes(field)))
      return answer(res, 400, viesError('INVALID_INPUT'))
    vies.asked.push(asked)
    const { countryCode = '', vatNumber = '', requesterNumber } = asked
    answer(res, 200, {
      countryCode,
      vatNumber,
      requestDate: '2026-11-16T10:00:00.000Z',
      valid: vies.registered.has(countryCode + vatNumber),
      requestIdentifier: requesterNumber ? `WAPI${vies.asked.length}` : '',
      name: '---',
      address: '---',
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const vies: Vies = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/rest-api`,
    registered: new Set(registered),
    behaviour: undefined,
    asked: [],
    async stop() {
      server.closeAllConnections()
      if (server.listening) await new Promise(resolve => server.close(resolve))
    },
  }
  return vies
}

export const viesError = (error: string) => ({ actionSucceed: false, errorWrappers: [{ error }] })

export function answer(res: ServerResponse, status: number, body: unknown): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
