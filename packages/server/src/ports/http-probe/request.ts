// Probes a host with a real HTTP request. It follows no redirects, and refuses private addresses unless they are allowed.
import { request } from 'node:http'
import { isPrivate } from '../../lib/private-addresses.ts'
import type { HttpProbe } from './port.ts'

interface HttpProbeSettings {
  port: number
  allowPrivate: boolean
}

const timeLimitMs = 5_000
const largest = 4096

export const requestProbe = ({ port, allowPrivate }: HttpProbeSettings): HttpProbe => {
  return async ({ host, address }, path) => {
    if (!allowPrivate && isPrivate(address)) return { unreachable: `${address} is a private address` }
    try {
      return await get(address, port, host, path)
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      return { unreachable: code === 'ECONNREFUSED' ? `nothing answers on port ${port}` : message }
    }
  }
}

function get(
  address: string,
  port: number,
  host: string,
  path: string,
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const req = request({ host: address, port, path, headers: { host }, agent: false }, res => {
      const chunks: Buffer[] = []
      let size = 0
      const answer = () => resolve({ status: res.statusCode ?? 0, body: Buffer.concat(chunks).toString() })
      res.on('data', (chunk: Buffer) => {
        size += chunk.length
        chunks.push(chunk)
        // An answer to a challenge is never this long, so do not read on.
        if (size > largest) {
          answer()
          req.destroy()
        }
      })
      res.on('end', answer).on('error', reject)
    })
    const limit = setTimeout(() => req.destroy(new Error('it does not answer in time')), timeLimitMs)
    req.on('error', reject).on('close', () => clearTimeout(limit))
    req.end()
  })
}
