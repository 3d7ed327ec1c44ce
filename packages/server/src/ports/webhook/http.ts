// Sends webhooks by HTTP. It follows no redirects, reads little of the answer, and refuses private addresses unless they are
// allowed.
import * as http from 'node:http'
import * as https from 'node:https'
import { isIP } from 'node:net'
import { isPrivate } from '../../lib/private-addresses.ts'
import type { AddressLookup } from '../dns/port.ts'
import type { SendWebhook, WebhookRequest } from './port.ts'

interface WebhookSettings {
  allowPrivate: boolean
  addresses: AddressLookup
}

/** How much of an answer is read and kept. */
const answerBytes = 1024

export const httpWebhooks = ({ allowPrivate, addresses }: WebhookSettings): SendWebhook => {
  return async (request, signal) => {
    const url = new URL(request.url)
    const name = url.hostname.replace(/^\[|\]$/g, '')
    const found = isIP(name) ? [name] : await addresses(name)
    signal.throwIfAborted()
    // Connect to the address that was checked. A second lookup of the name could give another one.
    const address = found.find(candidate => allowPrivate || !isPrivate(candidate))
    // The message is the same for a private address, so that a customer cannot find out the names of a private network.
    if (address === undefined) throw new Error(`${name} has no public address in the DNS`)
    return await post(request, url, address, signal)
  }
}

function post({ headers, body }: WebhookRequest, url: URL, address: string, signal: AbortSignal) {
  return new Promise<{ status: number; answer: string }>((resolve, reject) => {
    const isHttps = url.protocol === 'https:'
    const { request } = isHttps ? https : http
    const name = url.hostname
    const sent = request({
      host: address,
      port: url.port || (isHttps ? 443 : 80),
      method: 'POST',
      path: url.pathname + url.search,
      headers: { host: url.host, ...headers, 'content-length': String(Buffer.byteLength(body)) },
      ...(isHttps && !isIP(name) && !name.startsWith('[') && { servername: name }),
      agent: false,
      signal,
    })
    sent.on('response', res => {
      const chunks: Buffer[] = []
      let size = 0
      const done = () =>
        resolve({
          status: res.statusCode ?? 0,
          answer: Buffer.concat(chunks).subarray(0, answerBytes).toString(),
        })
      res.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        size += chunk.length
        if (size >= answerBytes) res.destroy()
      })
      // The status counts even if the body was cut off. If the signal aborted, it does not.
      res.on('close', () => (signal.aborted ? reject(signal.reason) : done()))
      res.on('error', () => undefined)
    })
    sent.on('upgrade', (res, socket) => {
      socket.destroy()
      resolve({ status: res.statusCode ?? 0, answer: '' })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
