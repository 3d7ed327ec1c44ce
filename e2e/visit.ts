// Visits a site by its address, on machines that do not know names below `localhost`, too.
import { type IncomingHttpHeaders, request } from 'node:http'

export interface Page {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
}

export function visit(address: string, target = '/', sent: Record<string, string> = {}): Promise<Page> {
  const { host, port } = new URL(address)
  return new Promise((resolve, reject) => {
    const asking = request(
      { host: '127.0.0.1', port, path: target, headers: { ...sent, host } },
      response => {
        const chunks: Buffer[] = []
        response.on('data', chunk => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const { statusCode: status = 0, headers } = response
          resolve({ status, headers, body: Buffer.concat(chunks) })
        })
      },
    )
    asking.on('error', reject)
    asking.end()
  })
}
