// The sockets of this process: those that it was started with, or new ones.
import { isIP } from 'node:net'
import type { Logger } from 'pino'
import { inheritedFiles, type Settings } from '../config.ts'
import { bindSocket, inheritedSocket, type ListeningSocket } from '../lib/listening-sockets.ts'
import type { Sockets } from '../listener.ts'

type Name = keyof Sockets

export const socketNames = ({ https }: Sockets): Name[] => (https ? ['http', 'https'] : ['http'])

export async function openSockets(settings: Settings, log: Logger): Promise<Sockets> {
  const { host, port, tlsPort } = settings
  const given = inheritedFiles().map(({ fd, name }) => ({ name, socket: inheritedSocket(fd) }))
  const take = async (name: Name, port: number): Promise<ListeningSocket> => {
    const isFor = (it: (typeof given)[number]) =>
      port === 0 ? it.name === name : it.socket.port === port && (!isIP(host) || it.socket.host === host)
    const at = given.findIndex(isFor)
    return at === -1 ? await bindSocket(host, port) : given.splice(at, 1)[0]!.socket
  }
  const http = await take('http', port)
  const https =
    tlsPort === undefined
      ? undefined
      : await take('https', tlsPort).catch(error => {
          http.close()
          throw error
        })
  for (const { socket } of given) {
    const { host, port } = socket
    log.warn(
      { host, port },
      "svcd was given a socket that is in no setting, and closes it. If it comes from systemd, run 'svcd install' again",
    )
    socket.close()
  }
  return { http, https }
}
