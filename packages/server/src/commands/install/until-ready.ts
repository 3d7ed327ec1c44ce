// Waits for a service that was just started: until it answers, and until it has its certificate.
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from 'node:tls'
import { ownCertificate, type Settings } from '../../config.ts'
import { Fault } from '../../lib/fault.ts'
import { isInDns, run } from './system.ts'
import { unitName } from './unit.ts'

const healthyWithinMs = 120_000
const certificateWithinMs = 120_000
const pauseMs = 500

export async function untilHealthy({ port }: Settings): Promise<void> {
  for (const deadline = Date.now() + healthyWithinMs; Date.now() < deadline; await sleep(pauseMs))
    if (await answers(port)) return
  const log = await run('journalctl', '--unit', unitName, '--lines', '20', '--no-pager').catch(() => '')
  throw new Fault(
    'unavailable',
    `svcd was started and does not answer on port ${port}. See 'systemctl status svcd' and 'journalctl -u svcd'.${log && `\n${log}`}`,
  )
}

/** Whether svcd answers at all. On a machine with HTTPS it answers with a redirect. */
const answers = (port: number): Promise<boolean> =>
  new Promise(resolve => {
    const asking = request({ port, host: '127.0.0.1', path: '/health', timeout: 5_000 }, answer => {
      answer.resume()
      resolve((answer.statusCode ?? 500) < 500)
    })
    asking.on('timeout', () => asking.destroy())
    asking.on('error', () => resolve(false)).end()
  })

/** The certificate comes after the start, and the DNS may not be ready. So this waits for some time, and then says what to do. */
export async function untilCertificate(settings: Settings, tell: (line: string) => void): Promise<void> {
  const { tlsPort, platformDomain } = settings
  if (tlsPort === undefined) return
  const name = `app.${platformDomain}`
  if (ownCertificate(settings) === undefined)
    return tell(
      `HTTPS: ${name} gets no certificate. Set SVCD_ACME_EMAIL, or SVCD_TLS_CERT and SVCD_TLS_KEY; see docs/domains.md.`,
    )
  if (!settings.tlsCert && !(await isInDns(name)))
    return tell(
      `HTTPS: ${name} has no certificate, because it is not in the DNS yet. svcd gets one as soon as it is; until then, the link below shows a page that waits.`,
    )
  tell(`Waiting for the certificate of ${name} …`)
  for (const deadline = Date.now() + certificateWithinMs; Date.now() < deadline; await sleep(pauseMs))
    if (await hasCertificate(tlsPort, name)) return
  tell(
    `HTTPS: ${name} has no certificate yet. svcd keeps trying, and the link below shows a page that waits; 'svcd doctor' says what is wrong.`,
  )
}

/** Whether the server shows a certificate for the name. Who issued it does not matter here. */
const hasCertificate = (port: number, servername: string): Promise<boolean> =>
  new Promise(resolve => {
    const socket = connect({ port, host: '127.0.0.1', servername, rejectUnauthorized: false, timeout: 5_000 })
    const end = (found: boolean) => {
      socket.destroy()
      resolve(found)
    }
    socket
      .on('secureConnect', () => end(true))
      .on('error', () => end(false))
      .on('timeout', () => end(false))
  })
