// Visits a site by its address, on machines that do not know names below `localhost`, too.
import { request } from 'node:http'

export interface Page {
  status: number
  body: Buffer
}

export function visit(address: string, target = '/'): Promise<Page> {
  const { host, port } = new URL(address)
  return new Promise((resolve, reject) => {
    const asking = request({ host: '127.0.0.1', port, path: target, headers: { host } }, response => {
      const chunks: Buffer[] = []
      response.on('data', chunk => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks) }))
    })
    asking.on('error', reject)
    asking.end()
  })
}
