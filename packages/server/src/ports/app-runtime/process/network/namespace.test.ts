import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import type { Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { findSandbox } from '../sandbox.ts'
import { NetworkNamespace } from './namespace.ts'

const isMissing = !(await findSandbox())

if (isMissing) {
  console.warn('The tests of network namespaces are skipped: they need bubblewrap')
  describe.skip('a network namespace (it needs bubblewrap)', () => test('all of it', () => undefined))
} else
  describe.each(['perl', 'node'] as const)('a network namespace with a connector in %s', kind => {
    async function open(): Promise<NetworkNamespace> {
      const namespace = await NetworkNamespace.open(kind)
      onTestFinished(() => namespace.close())
      return namespace
    }

    /** A server in the namespace that answers its own address. */
    async function serve(namespace: NetworkNamespace, host: string): Promise<void> {
      const program = `require('node:http').createServer((req, res) => res.end(req.socket.localAddress))
        .listen(3000, '${host}', () => console.log('up'))`
      const [command = '', ...args] = namespace.around([process.execPath, '-e', program])
      const server = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] })
      onTestFinished(() => void server.kill())
      await once(server.stdout, 'data')
    }

    const ask = (socket: Socket): Promise<string> =>
      new Promise((resolve, reject) => {
        const asking = request({ createConnection: () => socket, path: '/' }, answer => {
          let text = ''
          answer.on('data', part => (text += part)).on('end', () => resolve(text))
        })
        asking.on('error', reject).end()
      })

    test.each(['127.0.0.1', '::1'])('reaches a server on %s, by many connections at once', async host => {
      const namespace = await open()
      await serve(namespace, host)
      const sockets = await Promise.all(Array.from({ length: 20 }, () => namespace.connect(3000)))
      expect(new Set(await Promise.all(sockets.map(ask)))).toEqual(new Set([host]))
    })

    test('rejects if no program listens, and stays usable', async () => {
      const namespace = await open()
      await expect(namespace.connect(3000)).rejects.toThrow(/refused/i)
      await serve(namespace, '127.0.0.1')
      expect(await ask(await namespace.connect(3000))).toBe('127.0.0.1')
    })

    test('rejects pending connections when it is closed', async () => {
      const namespace = await NetworkNamespace.open(kind)
      await namespace.close()
      await expect(namespace.connect(3000)).rejects.toThrow('has ended')
    })
  })
