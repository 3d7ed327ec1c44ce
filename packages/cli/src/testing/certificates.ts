// Self-signed certificates for tests, and a server that shows one.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { temporaryDirectory } from './svc.ts'

/** A certificate for an address of this machine, for another name, or one that has expired. */
export function selfSigned({ name = 'IP:127.0.0.1', expired = false } = {}) {
  const dir = temporaryDirectory()
  const [certFile, keyFile] = [join(dir, 'cert.pem'), join(dir, 'key.pem')]
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', keyFile]
  const about = ['-subj', '/CN=test', '-addext', `subjectAltName=${name}`]
  openssl('req', '-x509', ...key, ...about, '-out', certFile)
  if (expired) openssl('x509', '-in', certFile, '-signkey', keyFile, '-days', '-1', '-out', certFile)
  return { certFile, cert: readFileSync(certFile), key: readFileSync(keyFile) }
}

/** The address of a server on this machine that speaks TLS with the certificate. */
export async function secureServer(
  certificate: { cert: Buffer; key: Buffer },
  answer: RequestListener = (_, response) => response.end(),
): Promise<string> {
  const server = createServer(certificate, answer)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function openssl(...args: string[]): void {
  execFileSync('openssl', args, { stdio: 'ignore' })
}
