// The certificate that answers a TLS-ALPN-01 challenge. Every process can make it of the answer.
import type { Authorization } from 'acme-client'
import { Secret } from '../../lib/secret.ts'

export async function challengeCertificate(
  name: string,
  answer: string,
): Promise<{ cert: string; key: Secret }> {
  const { crypto } = (await import('acme-client')).default
  const authorization = { identifier: { type: 'dns', value: name } } as Authorization
  const [key, cert] = await crypto.createAlpnCertificate(
    authorization,
    answer,
    await crypto.createPrivateEcdsaKey('P-256'),
  )
  return { cert: cert.toString(), key: new Secret(key.toString()) }
}
