// Calls sites by HTTP: through the edge of this process if it has one, otherwise at their public URL.
import * as http from 'node:http'
import * as https from 'node:https'
import type { CallSite } from './port.ts'

interface EdgeSocket {
  socketPath: string
}

/** The body is not used. It is read up to this size, so that the site can finish its answer. */
const readAtMost = 1024 * 1024

export function httpSiteCaller(urlOf: (project: string) => string, edge: EdgeSocket | undefined): CallSite {
  return ({ project, method, path, headers }, signal) =>
    new Promise((resolve, reject) => {
      const url = new URL(urlOf(project))
      const { request } = edge === undefined && url.protocol === 'https:' ? https : http
      const target = edge ? { socketPath: edge.socketPath } : { host: url.hostname, port: url.port }
      const options = {
        ...target,
        method,
        path,
        headers: { host: url.host, ...headers },
        agent: false,
        signal,
      } as const
      const sent = request(options, res => {
        let size = 0
        const done = () => resolve(res.statusCode ?? 0)
        res.on('data', (chunk: Buffer) => {
          size += chunk.length
          if (size > readAtMost) res.destroy()
        })
        res.on('end', done)
        // The status counts even if the body was cut off, by its size or by the site. If the signal aborted, it does not.
        res.on('close', () => (signal.aborted ? reject(signal.reason) : done()))
        res.on('error', () => undefined)
      })
      // The platform never asks for another protocol, so the connection is of no use.
      sent.on('upgrade', (res, socket) => {
        socket.destroy()
        resolve(res.statusCode ?? 0)
      })
      sent.on('error', reject)
      sent.end()
    })
}
