// The look by a real request, never to a private address unless that is allowed, and without following anything.
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
        // Whatever is that long is no answer to a challenge.
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
